/* Streams, events and host callbacks. Work is done when it is enqueued, unless its stream is
 * captured (capture.h). So streams are always idle, and an event is a time on the host's clock. */
#include "order.h"
#include "graph.h"
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The API's opaque handles are declared with these names. */
/* What streams have of a launch's attributes; they change no result. */
struct attributes {
    cudaLaunchAttributeValue window, synchronization, domain_map, domain;
};

struct CUstream_st {
    unsigned flags;
    int priority;
    struct attributes attributes;
    unsigned long long id;
    int order; /**< its number in order.h */
    struct sim_captured captured;
    struct CUstream_st *next;
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
    struct timespec time;
    struct sim_moment moment; /**< all 0 until it is recorded */
    struct sim_capture_point point;
    struct CUevent_st *next;
};

static const int LOWEST_PRIORITY = 0, HIGHEST_PRIORITY = -5;

/* Live handles, so that stale ones are refused; the API lock guards them. */
static struct CUstream_st *streams;
static struct CUevent_st *events;
static unsigned long long last_id = 2;  /* 1 and 2: the default streams */
static struct attributes of_default[2]; /* of the default stream, of those per thread */
static struct sim_captured per_thread;  /* of the per-thread default stream */

static bool is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

bool sim_stream_valid(cudaStream_t stream)
{
    if (is_default(stream))
        return true;
    for (struct CUstream_st *live = streams; live; live = live->next)
        if (live == stream)
            return true;
    return false;
}

int sim_stream_order(cudaStream_t stream)
{
    if (is_default(stream))
        return stream == cudaStreamPerThread ? SIM_ORDER_PER_THREAD : SIM_ORDER_LEGACY;
    return stream->order;
}

struct sim_captured *sim_stream_captured(cudaStream_t stream)
{
    if (is_default(stream))
        return stream == cudaStreamPerThread ? &per_thread : NULL;
    return &stream->captured;
}

void sim_streams_release(const struct CUgraph_st *graph)
{
    for (struct CUstream_st *live = streams; live; live = live->next)
        if (live->captured.graph == graph)
            live->captured.graph = NULL;
    if (per_thread.graph == graph)
        per_thread.graph = NULL;
}

struct sim_footprint *sim_stream_work(cudaStream_t stream, const char *what)
{
    sim_host_before_work();
    sim_order_work(sim_stream_order(stream), what);
    return sim_concurrent_begin(sim_stream_order(stream));
}

void sim_stream_done(cudaStream_t stream)
{
    sim_order_host_waits(sim_stream_order(stream));
}

static bool event_valid(cudaEvent_t event)
{
    for (struct CUevent_st *live = events; live; live = live->next)
        if (live == event)
            return true;
    return false;
}

void sim_streams_reset(void)
{
    sim_order_host_waits_for_all();
    sim_graphs_reset();
    memset(of_default, 0, sizeof of_default);
    while (streams) {
        struct CUstream_st *next = streams->next;
        sim_order_close(streams->order);
        free(streams);
        streams = next;
    }
    while (events) {
        struct CUevent_st *next = events->next;
        free(events);
        events = next;
    }
}

/* Enters a call that concerns a stream. */
static cudaError_t enter_with(cudaStream_t stream)
{
    cudaError_t status = sim_enter();
    return status || sim_stream_valid(stream) ? status : cudaErrorInvalidResourceHandle;
}

/* Returns NULL if memory runs out. */
cudaStream_t sim_stream_open(unsigned flags, int priority, const char *name)
{
    struct CUstream_st *const made = malloc(sizeof *made);
    char own_name[32];
    if (!made)
        return NULL;
    if (priority < HIGHEST_PRIORITY)
        priority = HIGHEST_PRIORITY;
    if (priority > LOWEST_PRIORITY)
        priority = LOWEST_PRIORITY;
    *made = (struct CUstream_st){
        .flags = flags, .priority = priority, .id = ++last_id, .next = streams};
    snprintf(own_name, sizeof own_name, "stream %llu", made->id);
    made->order = sim_order_open(!(flags & cudaStreamNonBlocking), name ? name : own_name);
    streams = made;
    return made;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    cudaError_t status = sim_enter();
    if (!status && (!stream || flags > cudaStreamNonBlocking))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    *stream = sim_stream_open(flags, priority, NULL);
    return sim_leave(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t status = enter_with(stream);
    if (!status && is_default(stream))
        status = cudaErrorInvalidResourceHandle;
    if (status)
        return sim_leave(status);
    struct CUstream_st **link = &streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    if (sim_capture_is_begun_by(stream))
        sim_capture_spoils(stream, &status);
    sim_order_close(stream->order);
    free(stream);
    return sim_leave(cudaSuccess);
}

static cudaError_t wait_for_stream(const char *call, cudaStream_t stream)
{
    cudaError_t status = enter_with(stream);
    if (!status && !sim_capture_spoils(stream, &status))
        sim_order_host_waits(sim_stream_order(stream));
    return sim_leave_call(status, call);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return wait_for_stream(__func__, stream);
}
SIM_PER_THREAD_STREAM(cudaStreamSynchronize, _ptsz);

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return wait_for_stream(__func__, stream);
}
SIM_PER_THREAD_STREAM(cudaStreamQuery, _ptsz);

static cudaError_t run_wait(const void *event, cudaStream_t stream)
{
    return cudaStreamWaitEvent(stream, *(const cudaEvent_t *)event, 0);
}

/* An external event is one that the graph waits for in each launch, whoever records it. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t status = enter_with(stream);
    if (!status && !event_valid(event))
        status = cudaErrorInvalidResourceHandle;
    if (!status && flags & cudaEventWaitExternal)
        return sim_leave(sim_capture_node(stream, cudaGraphNodeTypeWaitEvent, run_wait, &event,
                                          sizeof event, &status)
                             ? status
                             : cudaErrorIllegalState);
    if (!status && !sim_capture_wait(stream, &event->point, event->recorded, &status))
        sim_order_wait(sim_stream_order(stream), &event->moment);
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamWaitEvent, _ptsz);

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    cudaError_t status = enter_with(stream);
    if (!status && !flags)
        status = cudaErrorInvalidValue;
    if (!status)
        *flags = is_default(stream) ? cudaStreamDefault : stream->flags;
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamGetFlags, _ptsz);

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    cudaError_t status = enter_with(stream);
    if (!status && !priority)
        status = cudaErrorInvalidValue;
    if (!status)
        *priority = is_default(stream) ? LOWEST_PRIORITY : stream->priority;
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamGetPriority, _ptsz);

static struct attributes *attributes_of(cudaStream_t stream)
{
    return is_default(stream) ? &of_default[stream == cudaStreamPerThread] : &stream->attributes;
}

/* NULL: streams have no such attribute that is kept. */
static cudaLaunchAttributeValue *attribute_of(cudaStream_t stream, cudaLaunchAttributeID id)
{
    struct attributes *const all = attributes_of(stream);
    return id == cudaLaunchAttributeAccessPolicyWindow      ? &all->window
           : id == cudaLaunchAttributeSynchronizationPolicy ? &all->synchronization
           : id == cudaLaunchAttributeMemSyncDomainMap      ? &all->domain_map
           : id == cudaLaunchAttributeMemSyncDomain         ? &all->domain
                                                            : NULL;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   cudaLaunchAttributeValue *value)
{
    cudaError_t status = enter_with(stream);
    if (status)
        return sim_leave(status);
    const cudaLaunchAttributeValue *const kept = attribute_of(stream, id);
    if (!value || (!kept && id != cudaLaunchAttributePriority))
        return sim_leave(cudaErrorInvalidValue);
    if (kept)
        *value = *kept;
    else
        *value = (cudaLaunchAttributeValue){.priority = is_default(stream) ? LOWEST_PRIORITY
                                                                           : stream->priority};
    return sim_leave(cudaSuccess);
}
SIM_PER_THREAD_STREAM(cudaStreamGetAttribute, _ptsz);

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue *value)
{
    cudaError_t status = enter_with(stream);
    if (status)
        return sim_leave(status);
    cudaLaunchAttributeValue *const kept = attribute_of(stream, id);
    if (!value || (!kept && (id != cudaLaunchAttributePriority || is_default(stream))))
        return sim_leave(cudaErrorInvalidValue);
    if (kept)
        *kept = *value;
    else
        stream->priority = value->priority;
    return sim_leave(cudaSuccess);
}
SIM_PER_THREAD_STREAM(cudaStreamSetAttribute, _ptsz);

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    cudaError_t status = enter_with(to);
    if (!status && !sim_stream_valid(from))
        status = cudaErrorInvalidResourceHandle;
    if (!status)
        *attributes_of(to) = *attributes_of(from);
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamCopyAttributes, _ptsz);

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    cudaError_t status = enter_with(stream);
    if (!status && !id)
        status = cudaErrorInvalidValue;
    if (!status)
        *id = !is_default(stream) ? stream->id : stream == cudaStreamPerThread ? 2 : 1;
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamGetId, _ptsz);

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    cudaError_t status = enter_with(stream);
    if (!status && !device)
        status = cudaErrorInvalidValue;
    if (!status)
        *device = 0;
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamGetDevice, _ptsz);

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    cudaError_t status = sim_enter();
    if (least)
        *least = LOWEST_PRIORITY;
    if (greatest)
        *greatest = HIGHEST_PRIORITY;
    return sim_leave(status);
}

/* ---- lab_sim.h ------------------------------------------------------------------------------- */

void lab_sim_streams_begin(const void *stream)
{
    cudaStream_t const given = (cudaStream_t)(uintptr_t)stream;
    sim_enter_always();
    sim_order_begin(sim_stream_valid(given) ? sim_stream_order(given) : SIM_ORDER_NONE);
    sim_host_begin();
    sim_leave(cudaSuccess);
}

const char *lab_sim_streams_end(void)
{
    static char text[700];
    sim_enter_always();
    const char *const changed = sim_host_end(), *const unordered = sim_order_end();
    snprintf(text, sizeof text, "between %s: %s", unordered ? "streams" : "the host and the device",
             unordered ? unordered : changed);
    sim_leave(cudaSuccess);
    return unordered || changed ? text : NULL;
}

int lab_sim_stream_work(const void *stream, const char *what)
{
    cudaStream_t const given = (cudaStream_t)(uintptr_t)stream;
    cudaError_t status = enter_with(given);
    if (!status && !sim_capture_spoils(given, &status))
        sim_stream_work(given, what);
    if (status == cudaErrorStreamCaptureUnsupported)
        sim_runtime_report("%s in a stream that is being captured is not implemented", what);
    return sim_leave_call(status, what);
}

void lab_sim_last_order(struct lab_sim_order *order)
{
    sim_enter_always();
    *order = sim_order_last();
    sim_leave(cudaSuccess);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

static cudaError_t run_host(const void *data, cudaStream_t stream)
{
    const struct cudaHostNodeParams *const call = data;
    (void)stream;
    sim_call_host(call->fn, call->userData);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    cudaError_t status = enter_with(stream);
    if (!status && !function)
        status = cudaErrorInvalidValue;
    const struct cudaHostNodeParams call = {function, argument};
    const bool is_node = !status && sim_capture_node(stream, cudaGraphNodeTypeHost, run_host, &call,
                                                     sizeof call, &status);
    const bool is_kept = !status && !is_node && sim_host_keep(function, argument);
    if (sim_leave(status) == cudaSuccess && !is_node && !is_kept)
        sim_call_host(function, argument);
    return status;
}
SIM_PER_THREAD_STREAM(cudaLaunchHostFunc, _ptsz);

struct stream_callback {
    cudaStream_t stream;
    cudaStreamCallback_t function;
    void *argument;
};

static void call_back(void *argument)
{
    const struct stream_callback *callback = argument;
    callback->function(callback->stream, cudaSuccess, callback->argument);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                  void *argument, unsigned flags)
{
    cudaError_t status = enter_with(stream);
    if (!status && (!function || flags))
        status = cudaErrorInvalidValue;
    struct stream_callback callback = {stream, function, argument};
    if (!status)
        sim_capture_spoils(stream, &status);
    if (sim_leave(status) == cudaSuccess)
        sim_call_host(call_back, &callback);
    return status;
}
SIM_PER_THREAD_STREAM(cudaStreamAddCallback, _ptsz);

/* ---- events ---------------------------------------------------------------------------------- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    const unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | (unsigned)cudaEventInterprocess;
    cudaError_t status = sim_enter();
    if (!status && (!event || flags & ~known))
        status = cudaErrorInvalidValue;
    if (!status && flags & cudaEventInterprocess) {
        sim_runtime_report("events shared between processes are not implemented");
        status = cudaErrorNotSupported;
    }
    if (status)
        return sim_leave(status);
    struct CUevent_st *made = malloc(sizeof *made);
    if (!made)
        return sim_leave(cudaErrorMemoryAllocation);
    *made = (struct CUevent_st){.flags = flags, .next = events};
    *event = events = made;
    return sim_leave(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

static cudaError_t enter_with_event(cudaEvent_t event)
{
    cudaError_t status = sim_enter();
    return status || event_valid(event) ? status : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t status = enter_with_event(event);
    if (!status && !sim_stream_valid(stream))
        status = cudaErrorInvalidResourceHandle;
    if (!status && !sim_capture_record(stream, &event->point, &status)) {
        clock_gettime(CLOCK_MONOTONIC, &event->time);
        sim_order_record(sim_stream_order(stream), &event->moment);
    }
    if (!status)
        event->recorded = true;
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaEventRecord, _ptsz);

static cudaError_t run_record(const void *event, cudaStream_t stream)
{
    return cudaEventRecord(*(const cudaEvent_t *)event, stream);
}

/* An external event is one that the graph records in each launch. */
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    if (!flags)
        return cudaEventRecord(event, stream);
    cudaError_t status = enter_with_event(event);
    if (!status && !sim_stream_valid(stream))
        status = cudaErrorInvalidResourceHandle;
    if (!status && flags != cudaEventRecordExternal)
        status = cudaErrorInvalidValue;
    if (!status && !sim_capture_node(stream, cudaGraphNodeTypeEventRecord, run_record, &event,
                                     sizeof event, &status))
        status = cudaErrorIllegalState;
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaEventRecordWithFlags, _ptsz);

static cudaError_t wait_for_event(const char *call, cudaEvent_t event)
{
    cudaError_t status = enter_with_event(event);
    if (!status && event->point.capture)
        status = cudaErrorCapturedEvent;
    if (!status)
        sim_order_host_waits_for(&event->moment);
    return sim_leave_call(status, call);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return wait_for_event(__func__, event);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return wait_for_event(__func__, event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t status = enter_with_event(start);
    if (!status && !milliseconds)
        status = cudaErrorInvalidValue;
    if (!status && (!event_valid(end) || !start->recorded || !end->recorded ||
                    (start->flags | end->flags) & cudaEventDisableTiming))
        status = cudaErrorInvalidResourceHandle;
    if (!status && (start->point.capture || end->point.capture))
        status = cudaErrorCapturedEvent;
    if (!status)
        *milliseconds = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                                (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return sim_leave(status);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t status = enter_with_event(event);
    if (status)
        return sim_leave(status);
    struct CUevent_st **link = &events;
    while (*link != event)
        link = &(*link)->next;
    *link = event->next;
    free(event);
    return sim_leave(cudaSuccess);
}
