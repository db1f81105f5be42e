/* Capturing streams into graphs, and launching graphs. A branch is a stream of the capture. The
 * first branch is the stream in which the capture began; in a launch, it is the stream that the
 * graph is launched in. */
#include "graph.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node, or an event in a branch if `run` is NULL. */
struct operation {
    int branch;
    sim_node_run *run;
    void *data;
    bool waits; /* the event is a wait for `moment`; else it records `moment` */
    int moment;
};

struct work_list {
    struct operation *list;
    int count, users;
    int branches, moments;
    struct sim_moment *recorded; /* by moment: set in the capture, and anew in each launch */
};

struct CUgraph_st {
    struct work_list *work;
    unsigned long long capture;   /* 0: it has ended */
    bool is_spoiled, is_blocking; /* is_blocking: the default stream would have to wait */
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    char names[SIM_ORDERED_STREAMS][40]; /* of the branches */
    /* For each branch: which operations of the other branches come before its next operation
     * (order.h). */
    struct sim_moment known[SIM_ORDERED_STREAMS];
    struct CUgraph_st *next;
};

struct CUgraphExec_st {
    struct work_list *work;
    cudaStream_t branches[SIM_ORDERED_STREAMS]; /* each launch sets the first */
    struct sim_moment done; /* the end of the last launch, which the next launch waits for */
    struct CUgraphExec_st *next;
};

static struct CUgraph_st *graphs;
static struct CUgraphExec_st *executables;
static unsigned long long last_capture;

/* ---- What is kept ---------------------------------------------------------------------------- */

static void release(struct work_list *work)
{
    if (--work->users > 0)
        return;
    for (int i = 0; i < work->count; i++)
        free(work->list[i].data);
    free(work->list);
    free(work->recorded);
    free(work);
}

static bool append(struct work_list *work, const struct operation *operation)
{
    if ((work->count & (work->count - 1)) == 0) {
        const size_t capacity = work->count ? 2 * (size_t)work->count : 1;
        struct operation *const list = realloc(work->list, capacity * sizeof *list);
        if (!list)
            return false;
        work->list = list;
    }
    work->list[work->count++] = *operation;
    return true;
}

static void join(struct sim_moment *to, const struct sim_moment *from)
{
    for (int i = 0; i < SIM_ORDERED_STREAMS; i++)
        if (to->known[i] < from->known[i])
            to->known[i] = from->known[i];
}

static struct CUgraph_st *find_capture(unsigned long long capture)
{
    struct CUgraph_st *graph = graphs;
    while (graph && (capture == 0 || graph->capture != capture))
        graph = graph->next;
    return graph;
}

static bool is_graph(cudaGraph_t graph)
{
    for (struct CUgraph_st *live = graphs; live; live = live->next)
        if (live == graph)
            return !live->capture;
    return false;
}

static bool is_executable(cudaGraphExec_t executable)
{
    for (struct CUgraphExec_st *live = executables; live; live = live->next)
        if (live == executable)
            return true;
    return false;
}

/* ---- Capturing ------------------------------------------------------------------------------- */

static struct CUgraph_st *graph_of(cudaStream_t stream)
{
    const struct sim_captured *const captured = sim_stream_captured(stream);
    return captured ? captured->graph : NULL;
}

/* Adds a branch for a stream; -1: there are too many. */
static int add_branch(struct CUgraph_st *graph, cudaStream_t stream)
{
    struct sim_captured *const captured = sim_stream_captured(stream);
    if (graph->work->branches == SIM_ORDERED_STREAMS)
        return -1;
    unsigned flags = 0;
    cudaStreamGetFlags(stream, &flags);
    graph->is_blocking |= !(flags & cudaStreamNonBlocking);
    *captured = (struct sim_captured){graph, graph->work->branches++};
    snprintf(graph->names[captured->branch], sizeof graph->names[0], "%.28s of a graph",
             sim_order_name(sim_stream_order(stream)));
    return captured->branch;
}

/* Refuses work of the default stream during a capture of a blocking stream. The default stream
 * would have to wait for that stream, whose work is only captured. */
static cudaError_t default_stream_refuses(void)
{
    cudaError_t status = cudaSuccess;
    for (struct CUgraph_st *graph = graphs; graph; graph = graph->next)
        if (graph->capture && graph->is_blocking) {
            graph->is_spoiled = true;
            status = cudaErrorStreamCaptureImplicit;
        }
    return status;
}

bool sim_capture_node(cudaStream_t stream, sim_node_run *run, const void *data, size_t size,
                      cudaError_t *status)
{
    struct CUgraph_st *const graph = graph_of(stream);
    if (!graph) {
        *status = sim_stream_captured(stream) ? cudaSuccess : default_stream_refuses();
        return *status != cudaSuccess;
    }
    const int branch = sim_stream_captured(stream)->branch;
    *status = cudaErrorStreamCaptureInvalidated;
    if (graph->is_spoiled)
        return true;
    void *const copy = malloc(size);
    *status = cudaErrorMemoryAllocation;
    if (!copy || !append(graph->work, &(struct operation){branch, run, copy, false, 0})) {
        free(copy);
        return true;
    }
    memcpy(copy, data, size);
    graph->known[branch].known[branch]++;
    *status = cudaSuccess;
    return true;
}

bool sim_capture_spoils(cudaStream_t stream, cudaError_t *status)
{
    struct CUgraph_st *const graph = graph_of(stream);
    if (!graph)
        return false;
    *status =
        graph->is_spoiled ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnsupported;
    graph->is_spoiled = true;
    return true;
}

cudaError_t sim_capture_forbids(bool always)
{
    cudaError_t status = cudaSuccess;
    for (struct CUgraph_st *graph = graphs; graph; graph = graph->next) {
        const bool is_own = pthread_equal(graph->thread, pthread_self());
        const bool counts = always || graph->mode == cudaStreamCaptureModeGlobal ||
                            (graph->mode == cudaStreamCaptureModeThreadLocal && is_own);
        if (!graph->capture || !counts)
            continue;
        graph->is_spoiled = true;
        status = cudaErrorStreamCaptureUnsupported;
    }
    return status;
}

bool sim_capture_record(cudaStream_t stream, struct sim_capture_point *point, cudaError_t *status)
{
    struct CUgraph_st *const graph = graph_of(stream);
    *point = (struct sim_capture_point){0, 0};
    if (!graph) {
        *status = sim_stream_captured(stream) ? cudaSuccess : default_stream_refuses();
        return *status != cudaSuccess;
    }
    *status = cudaErrorStreamCaptureInvalidated;
    if (graph->is_spoiled)
        return true;
    struct work_list *const work = graph->work;
    const int branch = sim_stream_captured(stream)->branch;
    struct sim_moment *const recorded =
        realloc(work->recorded, ((size_t)work->moments + 1) * sizeof *recorded);
    *status = cudaErrorMemoryAllocation;
    if (!recorded)
        return true;
    work->recorded = recorded;
    if (!append(work, &(struct operation){branch, NULL, NULL, false, work->moments}))
        return true;
    recorded[work->moments] = graph->known[branch];
    *point = (struct sim_capture_point){graph->capture, work->moments++};
    *status = cudaSuccess;
    return true;
}

/* The error of a wait for an event outside of the stream's capture. */
static cudaError_t refuse_wait(struct CUgraph_st *graph, const struct CUgraph_st *from,
                               const struct sim_capture_point *point)
{
    if (graph)
        graph->is_spoiled = true;
    if (graph && from)
        return cudaErrorStreamCaptureMerge;
    return point->capture ? cudaErrorCapturedEvent : cudaErrorStreamCaptureIsolation;
}

bool sim_capture_wait(cudaStream_t stream, const struct sim_capture_point *point, bool is_recorded,
                      cudaError_t *status)
{
    struct CUgraph_st *const from = find_capture(point->capture);
    struct CUgraph_st *graph = graph_of(stream);
    *status = cudaSuccess;
    if (!is_recorded || (!graph && !point->capture))
        return !is_recorded;
    if (from && !sim_stream_captured(stream)) {
        from->is_spoiled = true;
        *status = cudaErrorStreamCaptureImplicit;
    } else if (!from || (graph && graph != from)) {
        *status = refuse_wait(graph, from, point);
    } else if (from->is_spoiled) {
        *status = cudaErrorStreamCaptureInvalidated;
    }
    if (*status)
        return true;
    const int branch = graph ? sim_stream_captured(stream)->branch : add_branch(from, stream);
    if (branch < 0) {
        sim_runtime_report("graphs of more than %d streams are not implemented",
                           SIM_ORDERED_STREAMS);
        *status = cudaErrorNotSupported;
    } else if (!append(from->work, &(struct operation){branch, NULL, NULL, true, point->moment})) {
        *status = cudaErrorMemoryAllocation;
    } else {
        join(&from->known[branch], &from->work->recorded[point->moment]);
    }
    return true;
}

static cudaError_t enter_with(cudaStream_t stream)
{
    const cudaError_t status = sim_enter();
    return status || sim_stream_valid(stream) ? status : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t status = enter_with(stream);
    if (!status && (unsigned)mode > cudaStreamCaptureModeRelaxed)
        status = cudaErrorInvalidValue;
    if (!status && !sim_stream_captured(stream))
        status = cudaErrorStreamCaptureUnsupported;
    if (!status && graph_of(stream))
        status = cudaErrorIllegalState;
    if (status)
        return sim_leave(status);
    struct CUgraph_st *const graph = calloc(1, sizeof *graph);
    struct work_list *const work = calloc(1, sizeof *work);
    if (!graph || !work) {
        free(graph);
        free(work);
        return sim_leave(cudaErrorMemoryAllocation);
    }
    work->users = 1;
    graph->work = work;
    graph->capture = ++last_capture;
    graph->mode = mode;
    graph->thread = pthread_self();
    graph->next = graphs;
    graphs = graph;
    add_branch(graph, stream);
    return sim_leave(cudaSuccess);
}
SIM_PER_THREAD_STREAM(cudaStreamBeginCapture, _ptsz);

static bool has_joined(const struct CUgraph_st *graph)
{
    for (int i = 1; i < graph->work->branches; i++)
        if (graph->known[0].known[i] < graph->known[i].known[i])
            return false;
    return true;
}

static void destroy(struct CUgraph_st *graph)
{
    struct CUgraph_st **link = &graphs;
    while (*link != graph)
        link = &(*link)->next;
    *link = graph->next;
    release(graph->work);
    free(graph);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *made)
{
    cudaError_t status = enter_with(stream);
    if (!status && !made)
        status = cudaErrorInvalidValue;
    struct CUgraph_st *const graph = status ? NULL : graph_of(stream);
    if (!status && !graph)
        status = cudaErrorIllegalState;
    if (!status && graph->mode != cudaStreamCaptureModeRelaxed &&
        !pthread_equal(graph->thread, pthread_self()))
        status = cudaErrorStreamCaptureWrongThread;
    if (!status && sim_stream_captured(stream)->branch != 0) {
        graph->is_spoiled = true;
        status = cudaErrorStreamCaptureUnmatched;
    }
    if (status)
        return sim_leave(status);
    if (graph->is_spoiled)
        status = cudaErrorStreamCaptureInvalidated;
    else if (!has_joined(graph))
        status = cudaErrorStreamCaptureUnjoined;
    sim_streams_release(graph);
    graph->capture = 0;
    *made = status ? NULL : graph;
    if (status)
        destroy(graph);
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamEndCapture, _ptsz);

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *capturing)
{
    cudaError_t status = enter_with(stream);
    if (!status && !capturing)
        status = cudaErrorInvalidValue;
    const struct CUgraph_st *const graph = status ? NULL : graph_of(stream);
    if (!status)
        *capturing = !graph              ? cudaStreamCaptureStatusNone
                     : graph->is_spoiled ? cudaStreamCaptureStatusInvalidated
                                         : cudaStreamCaptureStatusActive;
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamIsCapturing, _ptsz);

/* ---- Graphs ---------------------------------------------------------------------------------- */

static cudaError_t enter_with_graph(cudaGraph_t graph)
{
    const cudaError_t status = sim_enter();
    return status || is_graph(graph) ? status : cudaErrorInvalidValue;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    const cudaError_t status = enter_with_graph(graph);
    if (!status)
        destroy(graph);
    return sim_leave(status);
}

/* A program can use the handles of nodes only to count the nodes. */
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    cudaError_t status = enter_with_graph(graph);
    if (!status && !count)
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    size_t found = 0;
    for (int i = 0; i < graph->work->count; i++) {
        if (!graph->work->list[i].run)
            continue;
        if (nodes && found < *count)
            nodes[found] = (cudaGraphNode_t)&graph->work->list[i];
        found++;
    }
    for (size_t i = found; nodes && i < *count; i++)
        nodes[i] = NULL;
    if (!nodes || found < *count)
        *count = found;
    return sim_leave(cudaSuccess);
}

static void close_executable(struct CUgraphExec_st *executable)
{
    struct CUgraphExec_st **link = &executables;
    while (*link != executable)
        link = &(*link)->next;
    *link = executable->next;
    for (int i = 1; i < executable->work->branches; i++)
        if (executable->branches[i])
            cudaStreamDestroy(executable->branches[i]);
    release(executable->work);
    free(executable);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long flags)
{
    const unsigned long long known = cudaGraphInstantiateFlagUpload |
                                     cudaGraphInstantiateFlagUseNodePriority |
                                     cudaGraphInstantiateFlagAutoFreeOnLaunch;
    cudaError_t status = enter_with_graph(graph);
    if (!status && !made)
        status = cudaErrorInvalidValue;
    if (!status && flags & ~known) {
        sim_runtime_report("cudaGraphInstantiate() with flags of %llu is not implemented", flags);
        status = cudaErrorNotSupported;
    }
    if (status)
        return sim_leave(status);
    struct CUgraphExec_st *const executable = calloc(1, sizeof *executable);
    if (!executable)
        return sim_leave(cudaErrorMemoryAllocation);
    executable->work = graph->work;
    executable->work->users++;
    executable->next = executables;
    executables = executable;
    for (int i = 1; !status && i < graph->work->branches; i++) {
        executable->branches[i] = sim_stream_open(cudaStreamNonBlocking, 0, graph->names[i]);
        if (!executable->branches[i])
            status = cudaErrorMemoryAllocation;
    }
    *made = status ? NULL : executable;
    if (status)
        close_executable(executable);
    return sim_leave(status);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *made, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(made, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    cudaError_t status = sim_enter();
    if (!status && !is_executable(executable))
        status = cudaErrorInvalidValue;
    if (!status)
        close_executable(executable);
    return sim_leave(status);
}

static cudaError_t enter_to_launch(cudaGraphExec_t executable, cudaStream_t stream)
{
    const cudaError_t status = enter_with(stream);
    return status || is_executable(executable) ? status : cudaErrorInvalidValue;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    return sim_leave(enter_to_launch(executable, stream));
}
SIM_PER_THREAD_STREAM(cudaGraphUpload, _ptsz);

/* After a kernel's fault the launch still succeeds: the fault shows at the next call, as after a
 * launch without a graph. */
static cudaError_t run(const struct work_list *work, const cudaStream_t *branches)
{
    cudaError_t status = cudaSuccess;
    for (int i = 0; !status && i < work->count; i++) {
        const struct operation *const operation = &work->list[i];
        const cudaStream_t stream = branches[operation->branch];
        struct sim_moment *const moment = &work->recorded[operation->moment];
        const cudaError_t fault = sim_enter();
        if (fault) {
            sim_leave(cudaSuccess);
            return cudaSuccess;
        }
        if (operation->run)
            status = operation->run(operation->data, stream);
        else if (operation->waits)
            sim_order_wait(sim_stream_order(stream), moment);
        else
            sim_order_record(sim_stream_order(stream), moment);
        sim_leave(status);
    }
    return status;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    cudaError_t status = enter_to_launch(executable, stream);
    if (!status && graph_of(stream)) {
        sim_runtime_report("cudaGraphLaunch() in a stream that is captured is not implemented");
        sim_capture_spoils(stream, &status);
        status = cudaErrorNotSupported;
    }
    if (!status && !sim_stream_captured(stream))
        status = default_stream_refuses();
    if (status)
        return sim_leave(status);
    const int order = sim_stream_order(stream);
    executable->branches[0] = stream;
    sim_order_wait(order, &executable->done);
    status = run(executable->work, executable->branches);
    sim_order_record(order, &executable->done);
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaGraphLaunch, _ptsz);

void sim_graphs_reset(void)
{
    while (executables)
        close_executable(executables);
    while (graphs) {
        sim_streams_release(graphs);
        destroy(graphs);
    }
}
