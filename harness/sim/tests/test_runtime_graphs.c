/* Graphs: nothing is done while streams are captured, a launch does all of it in the order of the
 * events, and what a capture may not hold ends it. */
#include <criterion/criterion.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <string.h>

#include "sim/lab_sim.h"

#define GIVES(status, call)                                                                        \
    do {                                                                                           \
        cudaError_t gives_ = (call);                                                               \
        cr_assert_eq(gives_, (status), "%s: %s", #call, cudaGetErrorName(gives_));                 \
        cudaGetLastError();                                                                        \
    } while (0)
#define GOOD(call) GIVES(cudaSuccess, call)

static cudaStream_t one, two, blocking;
static cudaEvent_t fork_event, join_event;
static char *memory;
static cudaGraph_t graph;
static cudaGraphExec_t executable;

static void begin(void)
{
    lab_sim_set_quiet(1);
    GOOD(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    GOOD(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    GOOD(cudaStreamCreate(&blocking));
    GOOD(cudaEventCreate(&fork_event));
    GOOD(cudaEventCreate(&join_event));
    GOOD(cudaMalloc((void **)&memory, 64));
    GOOD(cudaMemset(memory, 0, 64));
    GOOD(cudaDeviceSynchronize());
}

static int first_byte(void)
{
    char got = -1;
    GOOD(cudaMemcpy(&got, memory, 1, cudaMemcpyDeviceToHost));
    return got;
}

static void expect_status(cudaStream_t stream, enum cudaStreamCaptureStatus expected)
{
    enum cudaStreamCaptureStatus got;
    GOOD(cudaStreamIsCapturing(stream, &got));
    cr_assert_eq(got, expected, "%d, not %d", got, expected);
}

static void fork_to(cudaStream_t from, cudaEvent_t event, cudaStream_t to)
{
    GOOD(cudaEventRecord(event, from));
    GOOD(cudaStreamWaitEvent(to, event, 0));
}

static void add_one(void *counter)
{
    ++*(int *)counter;
}

Test(runtime_graphs, work_is_done_by_each_launch, .init = begin)
{
    static int counter;
    static char to[2];
    cudaGraphNode_t nodes[4] = {0};
    size_t count = 0;
    expect_status(one, cudaStreamCaptureStatusNone);
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    expect_status(one, cudaStreamCaptureStatusActive);
    GOOD(cudaMemsetAsync(memory, 7, 8, one));
    GOOD(cudaMemcpyAsync(to, memory, 1, cudaMemcpyDeviceToHost, one));
    GOOD(cudaLaunchHostFunc(one, add_one, &counter));
    GIVES(cudaErrorIllegalState, cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    GOOD(cudaStreamEndCapture(one, &graph));
    expect_status(one, cudaStreamCaptureStatusNone);
    GOOD(cudaGraphGetNodes(graph, NULL, &count));
    cr_assert_eq(count, 3);
    count = 4;
    GOOD(cudaGraphGetNodes(graph, nodes, &count));
    cr_assert(count == 3 && nodes[2] && !nodes[3]);
    cr_assert(to[0] == 0 && counter == 0, "nothing is done before");
    GOOD(cudaGraphInstantiate(&executable, graph, 0));
    GOOD(cudaGraphDestroy(graph));
    GIVES(cudaErrorInvalidValue, cudaGraphDestroy(graph));
    GOOD(cudaGraphUpload(executable, one));
    cr_assert_eq(to[0], 0);
    for (int i = 1; i < 4; i++) {
        GOOD(cudaMemsetAsync(memory, 0, 8, two));
        GOOD(cudaStreamSynchronize(two));
        GOOD(cudaGraphLaunch(executable, two));
        GOOD(cudaStreamSynchronize(two));
        cr_assert(to[0] == 7 && counter == i);
    }
    GOOD(cudaGraphExecDestroy(executable));
    GIVES(cudaErrorInvalidValue, cudaGraphLaunch(executable, one));
}

Test(runtime_graphs, branches_are_joined, .init = begin)
{
    size_t count = 0;
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    GOOD(cudaMemsetAsync(memory, 1, 64, one));
    fork_to(one, fork_event, two);
    expect_status(two, cudaStreamCaptureStatusActive);
    GOOD(cudaMemsetAsync(memory + 32, 2, 32, two));
    GOOD(cudaMemsetAsync(memory, 3, 32, one));
    fork_to(two, join_event, one);
    GOOD(cudaMemsetAsync(memory, 4, 64, one));
    GIVES(cudaErrorCapturedEvent, cudaEventSynchronize(join_event));
    GOOD(cudaStreamEndCapture(one, &graph));
    expect_status(two, cudaStreamCaptureStatusNone);
    GOOD(cudaGraphGetNodes(graph, NULL, &count));
    cr_assert_eq(count, 4);
    GOOD(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 3; i++)
        GOOD(cudaGraphLaunch(executable, one));
    GOOD(cudaGraphLaunch(executable, two)); /* behind the others, as a graph is with itself */
    GOOD(cudaStreamSynchronize(two));
    cr_assert_eq(first_byte(), 4);
    GIVES(cudaErrorCapturedEvent, cudaStreamWaitEvent(one, join_event, 0));
}

static void expect_race(cudaError_t status, const char *said)
{
    cr_assert_eq(status, cudaErrorLaunchFailure, "%s", cudaGetErrorName(status));
    cr_assert_eq(lab_sim_last_outcome()->status, SIM_RACE);
    cr_assert(strstr(lab_sim_last_outcome()->message, said), "not \"%s\": %s", said,
              lab_sim_last_outcome()->message);
}

Test(runtime_graphs, branches_that_race, .init = begin)
{
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    fork_to(one, fork_event, two);
    GOOD(cudaMemsetAsync(memory, 2, 32, two));
    GOOD(cudaMemsetAsync(memory + 28, 3, 32, one));
    fork_to(two, join_event, one);
    GOOD(cudaStreamEndCapture(one, &graph));
    GOOD(cudaGraphInstantiate(&executable, graph, 0));
    expect_race(cudaGraphLaunch(executable, one),
                "race on element 7 of the allocation of 64 bytes: cudaMemsetAsync in stream 4 of a "
                "graph writes it, and cudaMemsetAsync in stream 3 writes it");
}

/* All of a graph comes before what follows in its stream, and nothing of it before another's. */
Test(runtime_graphs, a_graph_and_other_streams, .init = begin)
{
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    fork_to(one, fork_event, two);
    GOOD(cudaMemsetAsync(memory, 2, 32, two));
    fork_to(two, join_event, one);
    GOOD(cudaStreamEndCapture(one, &graph));
    GOOD(cudaGraphInstantiate(&executable, graph, 0));
    GOOD(cudaMemsetAsync(memory, 2, 32, one));
    GOOD(cudaGraphLaunch(executable, one));
    GOOD(cudaMemsetAsync(memory, 2, 32, one));
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaGraphLaunch(executable, one));
    expect_race(cudaMemsetAsync(memory, 2, 32, two), "in stream 4 of a graph writes it");
}

Test(runtime_graphs, a_branch_that_is_not_joined, .init = begin)
{
    graph = (cudaGraph_t)1;
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    fork_to(one, fork_event, two);
    GOOD(cudaEventRecord(join_event, two));
    GOOD(cudaMemsetAsync(memory, 2, 32, two));
    GOOD(cudaStreamWaitEvent(one, join_event, 0));
    GIVES(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(one, &graph));
    cr_assert_null(graph);
    expect_status(two, cudaStreamCaptureStatusNone);
    cr_assert_eq(first_byte(), 0);
}

static void expect_spoiled(void)
{
    expect_status(one, cudaStreamCaptureStatusInvalidated);
    GIVES(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(memory, 2, 32, one));
    GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(one, &graph));
    expect_status(one, cudaStreamCaptureStatusNone);
}

Test(runtime_graphs, what_a_capture_may_not_hold, .init = begin)
{
    void *pointer;
    GIVES(cudaErrorIllegalState, cudaStreamEndCapture(one, &graph));
    GIVES(cudaErrorStreamCaptureUnsupported,
          cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    GOOD(cudaMalloc(&pointer, 4));
    GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(one));
    expect_spoiled();
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    GIVES(cudaErrorStreamCaptureUnsupported, cudaMalloc(&pointer, 4));
    expect_spoiled();
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    GIVES(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    expect_spoiled();
    GOOD(cudaEventRecord(fork_event, two));
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    GIVES(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(one, fork_event, 0));
    expect_spoiled();
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    fork_to(one, fork_event, two);
    GIVES(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(two, &graph));
    expect_spoiled();
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    GOOD(cudaStreamBeginCapture(two, cudaStreamCaptureModeRelaxed));
    GOOD(cudaEventRecord(fork_event, two));
    GIVES(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(one, fork_event, 0));
    expect_spoiled();
    GOOD(cudaStreamEndCapture(two, &graph));
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    GIVES(cudaErrorNotSupported, cudaMallocAsync(&pointer, 4, one));
    expect_spoiled();
}

/* The default stream is in order with streams that block: then it may not be used. */
Test(runtime_graphs, the_default_stream, .init = begin)
{
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    GOOD(cudaMemsetAsync(memory, 5, 32, 0));
    GOOD(cudaStreamEndCapture(one, &graph));
    cr_assert_eq(first_byte(), 5);
    GOOD(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    GIVES(cudaErrorStreamCaptureImplicit, cudaMemsetAsync(memory, 6, 32, 0));
    GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(blocking, &graph));
    cr_assert_eq(first_byte(), 5);
}

static void *end_elsewhere(void *mode)
{
    static cudaError_t status;
    (void)mode;
    status = cudaStreamEndCapture(one, &graph);
    return &status;
}

Test(runtime_graphs, another_thread, .init = begin)
{
    pthread_t thread;
    void *status;
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    cr_assert_eq(pthread_create(&thread, NULL, end_elsewhere, NULL), 0);
    pthread_join(thread, &status);
    cr_assert_eq(*(cudaError_t *)status, cudaErrorStreamCaptureWrongThread);
    GOOD(cudaStreamEndCapture(one, &graph));
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    cr_assert_eq(pthread_create(&thread, NULL, end_elsewhere, NULL), 0);
    pthread_join(thread, &status);
    cr_assert_eq(*(cudaError_t *)status, cudaSuccess);
}

Test(runtime_graphs, a_reset_ends_all, .init = begin)
{
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    fork_to(one, fork_event, two);
    fork_to(two, join_event, one);
    GOOD(cudaStreamEndCapture(one, &graph));
    GOOD(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    GOOD(cudaDeviceReset());
    begin();
    expect_status(one, cudaStreamCaptureStatusNone);
}
