/* The grader's side of a timer. Its answers are not trusted: a status can only become a verdict,
 * the caller compares outputs, and times are compared with this process's clock. */
#include "grade/timer/timer.h"

#include "grade/timer/protocol.h"
#include "measure/checking.h"
#include "base/time.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double START_SECONDS = 60.0, COPY_SECONDS = 30.0;

static bool fail(struct lab_timer_client *r, enum lab_check_status status, const char *text)
{
    if (r->fault.status == LAB_CHECK_OK) {
        r->fault.status = status;
        snprintf(r->fault.message, sizeof r->fault.message, "%s", text);
    }
    return false;
}

/* --- one message -------------------------------------------------------------------------------*/

static bool send_bytes(struct lab_timer_client *r, const void *bytes, size_t size)
{
    return lab_conversation_send(&r->conversation, bytes, size, COPY_SECONDS) ||
           fail(r, LAB_CHECK_CRASHED, "the process that runs it on the GPU takes no more data");
}

static bool receive_bytes(struct lab_timer_client *r, void *bytes, size_t size, double seconds)
{
    char text[256];
    if (lab_conversation_receive(&r->conversation, bytes, size, seconds))
        return true;
    snprintf(text, sizeof text,
             "it takes longer than %.3g s on the GPU; is there a loop without end?", seconds);
    return r->conversation.timed_out
               ? fail(r, LAB_CHECK_TIMEOUT, text)
               : fail(r, LAB_CHECK_CRASHED, "the process that runs it on the GPU ended");
}

static bool receive_answer(struct lab_timer_client *r, struct lab_timer_answer *answer,
                           double seconds)
{
    char text[256];
    if (!receive_bytes(r, answer, sizeof *answer, seconds))
        return false;
    if (answer->status == cudaSuccess)
        return true;
    answer->what[sizeof answer->what - 1] = '\0';
    for (char *c = answer->what; *c; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    snprintf(text, sizeof text, "on the GPU, %s", answer->what);
    return fail(r, lab_check_of_error((cudaError_t)answer->status), text);
}

/* --- the problem -------------------------------------------------------------------------------*/

static void *pointer_at(const void *problem, const struct lab_array *buffer)
{
    void *pointer;
    memcpy(&pointer, (const char *)problem + buffer->offset, sizeof pointer);
    return pointer;
}

/* Makes buffers in the timer, and puts their addresses into the struct's pointers. */
static bool make_buffers(struct lab_timer_client *r, const struct lab_array *list, int count,
                         char *problem)
{
    struct lab_timer_buffer sizes[LAB_MAX_ARRAYS] = {{0}};
    struct lab_timer_answer answer;
    uint64_t addresses[LAB_MAX_ARRAYS];
    struct lab_timer_request request = {.order = LAB_TIMER_BUFFERS, .count = (uint32_t)count};
    size_t largest = 1;
    for (int i = 0; i < count; i++) {
        bool scratch = list[i].role == LAB_ROLE_SCRATCH;
        const size_t bytes = lab_array_bytes(&list[i]);
        sizes[i].bytes = scratch ? r->workspace_bytes : bytes;
        sizes[i].role = list[i].role;
        largest = bytes > largest ? bytes : largest;
        r->output_bytes += list[i].role == LAB_ROLE_OUTPUT ? bytes : 0;
    }
    r->staging = malloc(largest);
    if (!r->staging)
        return fail(r, LAB_CHECK_CRASHED, "out of memory");
    if (!send_bytes(r, &request, sizeof request) ||
        !send_bytes(r, sizes, (size_t)count * sizeof *sizes) ||
        !receive_answer(r, &answer, COPY_SECONDS) ||
        !receive_bytes(r, addresses, (size_t)count * sizeof *addresses, COPY_SECONDS))
        return false;
    for (int i = 0; i < count; i++) {
        void *pointer = (void *)(uintptr_t)addresses[i];
        memcpy(problem + list[i].offset, &pointer, sizeof pointer);
    }
    return true;
}

static bool send_launches(struct lab_timer_client *r, const void *problem)
{
    struct lab_confined how;
    struct lab_timer_answer answer;
    struct lab_timer_request request = {.order = LAB_TIMER_LAUNCHES};
    request.bytes = lab_recording_launches(r->recording, problem, &how);
    bool good = request.bytes && send_bytes(r, &request, sizeof request) &&
                send_bytes(r, how.result, request.bytes) &&
                receive_answer(r, &answer, COPY_SECONDS);
    lab_confined_free(&how);
    lab_recording_fault(r->recording,
                        r->fault.status == LAB_CHECK_OK ? &r->fault : &(struct lab_check){0});
    return good && r->fault.status == LAB_CHECK_OK;
}

static bool prepare(struct lab_timer_client *r, const struct lab_array *list, int count,
                    const void *problem)
{
    size_t bytes = r->recording->family->problem_bytes;
    char *there = malloc(bytes + 1); /* the same problem, with the timer's pointers */
    if (!there)
        return fail(r, LAB_CHECK_CRASHED, "out of memory");
    memcpy(there, problem, bytes);
    if (lab_recording_has_workspace(r->recording))
        r->workspace_bytes = lab_recording_workspace(r->recording, problem);
    r->prepared = !lab_recording_fault(r->recording, &r->fault) &&
                  make_buffers(r, list, count, there) && send_launches(r, there);
    free(there);
    return r->prepared;
}

/* --- a call ------------------------------------------------------------------------------------*/

static bool send_inputs(struct lab_timer_client *r, const struct lab_array *list, int count,
                        const void *problem)
{
    struct lab_timer_request request = {.order = LAB_TIMER_RUN};
    if (!send_bytes(r, &request, sizeof request))
        return false;
    for (int i = 0; i < count; i++) {
        if (list[i].role == LAB_ROLE_SCRATCH || !lab_array_bytes(&list[i]))
            continue;
        if (cudaMemcpy(r->staging, pointer_at(problem, &list[i]), lab_array_bytes(&list[i]),
                       cudaMemcpyDeviceToHost) != cudaSuccess)
            return fail(r, LAB_CHECK_CRASHED, "the inputs cannot be copied");
        if (!send_bytes(r, r->staging, lab_array_bytes(&list[i])))
            return false;
    }
    return true;
}

static bool receive_outputs(struct lab_timer_client *r, const struct lab_array *list, int count,
                            const void *problem)
{
    for (int i = 0; i < count; i++) {
        if (list[i].role != LAB_ROLE_OUTPUT || !list[i].count)
            continue;
        if (!receive_bytes(r, r->staging, lab_array_bytes(&list[i]), COPY_SECONDS))
            return false;
        if (cudaMemcpy(pointer_at(problem, &list[i]), r->staging, lab_array_bytes(&list[i]),
                       cudaMemcpyHostToDevice) != cudaSuccess)
            return fail(r, LAB_CHECK_CRASHED, "the output cannot be copied");
    }
    return true;
}

/* Between the two readings of the clock the timer does nothing but launch and wait. */
static bool launch(struct lab_timer_client *r)
{
    struct lab_timer_answer answer;
    if (!receive_answer(r, &answer, COPY_SECONDS))
        return false;
    double begun = lab_clock_seconds();
    if (!send_bytes(r, "g", 1) || !receive_answer(r, &answer, r->terms.call_seconds))
        return false;
    r->wall_milliseconds = 1e3 * (lab_clock_seconds() - begun);
    r->milliseconds = answer.milliseconds;
    return true;
}

bool lab_timer_client_call(struct lab_timer_client *r, const void *problem)
{
    struct lab_array list[LAB_MAX_ARRAYS];
    struct lab_timer_answer answer;
    int count = r->recording->family->arrays(problem, list);
    if (r->fault.status != LAB_CHECK_OK || (!r->prepared && !prepare(r, list, count, problem)))
        return false;
    if (!send_inputs(r, list, count, problem) || !launch(r) ||
        !receive_outputs(r, list, count, problem) || !receive_answer(r, &answer, COPY_SECONDS))
        return false;
    return !answer.overwritten ||
           fail(r, LAB_CHECK_OUT_OF_BOUNDS,
                "written outside a matrix on the GPU, at the size that is timed");
}

/* --- its life ----------------------------------------------------------------------------------*/

bool lab_timer_client_open(struct lab_timer_client *r, struct lab_recording *recording,
                           const char *object, const struct lab_timer_terms *terms)
{
    static struct lab_timer_texts texts; /* large; the child has its own copy */
    struct lab_timer_answer answer;
    struct lab_confine what;
    *r = (struct lab_timer_client){
        .recording = recording, .terms = *terms, .conversation = {.to = -1, .from = -1}};
    lab_timer_describe(object, terms->is_sim, terms->isolate, terms->poison_bytes, &texts, &what);
    what.seconds = terms->seconds;
    if (!lab_conversation_start(&what, &r->conversation))
        return fail(r, LAB_CHECK_CRASHED, "no process could be started for it");
    return receive_answer(r, &answer, START_SECONDS);
}

void lab_timer_client_close(struct lab_timer_client *r)
{
    lab_conversation_end(&r->conversation);
    free(r->staging);
    r->staging = NULL;
}
