/* Graphs: nothing is done while streams are captured, a launch does all of it in the order of the
 * events, and what a capture may not hold ends it. Graphs that a program builds node by node. */
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

/* The graph takes the program's reference; its copies have theirs. */
Test(runtime_graphs, keep_user_objects_to_the_end, .init = begin)
{
    static int ends;
    cudaUserObject_t object;
    cudaGraph_t clone, other;
    GIVES(cudaErrorInvalidValue, cudaUserObjectCreate(&object, &ends, add_one, 1, 0));
    GOOD(cudaUserObjectCreate(&object, &ends, add_one, 1, cudaUserObjectNoDestructorSync));
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphCreate(&other, 0));
    GIVES(cudaErrorInvalidValue, cudaGraphReleaseUserObject(graph, object, 1));
    GOOD(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    GOOD(cudaGraphClone(&clone, graph));
    GOOD(cudaGraphInstantiate(&executable, graph, 0));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaGraphReleaseUserObject(clone, object, 1));
    cr_assert_eq(ends, 0);
    GOOD(cudaGraphExecUpdate(executable, other, NULL));
    cr_assert_eq(ends, 1);
    GIVES(cudaErrorInvalidValue, cudaUserObjectRetain(object, 1));
    GOOD(cudaUserObjectCreate(&object, &ends, add_one, 2, cudaUserObjectNoDestructorSync));
    GOOD(cudaUserObjectRetain(object, 1));
    GOOD(cudaGraphRetainUserObject(clone, object, 1, 0));
    GOOD(cudaUserObjectRelease(object, 3));
    cr_assert_eq(ends, 1);
    GOOD(cudaGraphDestroy(clone));
    cr_assert_eq(ends, 2);
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
    GIVES(cudaErrorInvalidValue, cudaFreeAsync(memory, one)); /* that no graph has allocated */
    GOOD(cudaStreamEndCapture(one, &graph));
}

/* Two executables of one graph would have one memory. A graph that takes the place of another,
 * whose executable lives on, has its own. */
Test(runtime_graphs, each_graph_has_its_own_memory, .init = begin)
{
    struct cudaMemAllocNodeParams wanted = {.bytesize = 64};
    cudaGraphExec_t made;
    wanted.poolProps.allocType = cudaMemAllocationTypePinned;
    wanted.poolProps.location.type = cudaMemLocationTypeDevice;
    for (int i = 0; i < 20; i++) {
        cudaGraphNode_t allocates, frees;
        GOOD(cudaGraphCreate(&graph, 0));
        GOOD(cudaGraphAddMemAllocNode(&allocates, graph, NULL, 0, &wanted));
        GOOD(cudaGraphAddMemFreeNode(&frees, graph, &allocates, 1, wanted.dptr));
        GOOD(cudaGraphInstantiate(&made, graph, 0));
        GIVES(cudaErrorNotSupported, cudaGraphInstantiate(&executable, graph, 0));
        GOOD(cudaGraphDestroy(graph));
        GOOD(cudaGraphLaunch(made, one));
    }
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

/* ---- Nodes that a program adds --------------------------------------------------------------- */

static cudaGraphNode_t nodes[8];

/* A node that fills `count` bytes from `at` on, behind others. */
static cudaGraphNode_t add_fill(int at, unsigned value, size_t count, const cudaGraphNode_t *before,
                                size_t others)
{
    const struct cudaMemsetParams fill = {memory + at, 0, value, 1, count, 1};
    cudaGraphNode_t made;
    GOOD(cudaGraphAddMemsetNode(&made, graph, before, others, &fill));
    return made;
}

static void begin_graph(void)
{
    begin();
    GOOD(cudaGraphCreate(&graph, 0));
}

static void launch_all(void)
{
    GOOD(cudaGraphInstantiate(&executable, graph, 0));
    GOOD(cudaGraphLaunch(executable, one));
    GOOD(cudaStreamSynchronize(one));
}

/* A diamond, whose last node is added first. */
Test(runtime_graphs, nodes_in_any_order, .init = begin_graph)
{
    cudaGraphNode_t from[8], to[8];
    enum cudaGraphNodeType type;
    size_t count;
    nodes[3] = add_fill(0, 4, 64, NULL, 0);
    nodes[0] = add_fill(0, 1, 64, NULL, 0);
    nodes[1] = add_fill(0, 2, 32, nodes, 1);
    nodes[2] = add_fill(32, 3, 32, nodes, 1);
    GOOD(cudaGraphAddDependencies(graph, &nodes[1], &nodes[3], NULL, 1));
    GOOD(cudaGraphAddDependencies(graph, &nodes[2], &nodes[3], NULL, 1));
    GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &nodes[2], &nodes[3], NULL, 1));
    launch_all();
    GOOD(cudaGraphLaunch(executable, two));
    GOOD(cudaStreamSynchronize(two));
    cr_assert_eq(first_byte(), 4);

    GOOD(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    cr_assert_eq(count, 4);
    count = 8;
    GOOD(cudaGraphGetEdges(graph, from, to, NULL, &count));
    cr_assert(count == 4 && from[0] == nodes[1] && to[0] == nodes[3] && from[7] == NULL);
    GOOD(cudaGraphGetRootNodes(graph, NULL, &count));
    cr_assert_eq(count, 1);
    GOOD(cudaGraphNodeGetDependencies(nodes[3], from, NULL, &count));
    cr_assert(count == 1 && from[0] == nodes[1], "there was room for one");
    count = 8;
    GOOD(cudaGraphNodeGetDependentNodes(nodes[0], to, NULL, &count));
    cr_assert(count == 2 && to[0] == nodes[1] && to[1] == nodes[2]);
    GOOD(cudaGraphNodeGetType(nodes[0], &type));
    cr_assert_eq(type, cudaGraphNodeTypeMemset);

    GOOD(cudaGraphAddDependencies(graph, &nodes[3], &nodes[0], NULL, 1));
    GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&executable, graph, 0));
    cr_assert_null(executable, "a circle");
    GOOD(cudaGraphRemoveDependencies(graph, &nodes[3], &nodes[0], NULL, 1));
    GOOD(cudaGraphDestroyNode(nodes[0]));
    GIVES(cudaErrorInvalidValue, cudaGraphNodeGetType(nodes[0], &type));
    launch_all();
}

Test(runtime_graphs, nodes_that_race, .init = begin_graph)
{
    nodes[0] = add_fill(0, 1, 64, NULL, 0);
    nodes[1] = add_fill(0, 2, 32, nodes, 1);
    nodes[2] = add_fill(28, 3, 32, nodes, 1);
    GOOD(cudaGraphInstantiate(&executable, graph, 0));
    expect_race(cudaGraphLaunch(executable, one),
                "race on element 7 of the allocation of 64 bytes: cudaMemsetAsync in stream 3 "
                "writes it, and cudaMemsetAsync in branch 2 of a graph writes it");
}

/* What follows in the stream of the launch comes after all branches. */
Test(runtime_graphs, nodes_and_what_follows, .init = begin_graph)
{
    add_fill(0, 1, 32, NULL, 0);
    add_fill(32, 2, 32, NULL, 0);
    GOOD(cudaGraphInstantiate(&executable, graph, 0));
    GOOD(cudaMemsetAsync(memory, 7, 64, one));
    GOOD(cudaGraphLaunch(executable, one));
    GOOD(cudaMemsetAsync(memory, 8, 64, one));
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaGraphLaunch(executable, one));
    expect_race(cudaMemsetAsync(memory, 2, 64, two), "writes it");
}

static void expect_bytes(const char *expected)
{
    char got[8];
    GOOD(cudaMemcpy(got, memory, 8, cudaMemcpyDeviceToHost));
    cr_assert_arr_eq(got, expected, 8, "%d %d, %d", got[0], got[4], got[7]);
}

Test(runtime_graphs, nodes_that_change, .init = begin_graph)
{
    static int counter;
    char host[4] = {9, 9, 9, 9};
    struct cudaMemsetParams fill;
    struct cudaMemcpy3DParms copy;
    struct cudaHostNodeParams call = {add_one, &counter};
    unsigned is_enabled;
    nodes[0] = add_fill(0, 1, 8, NULL, 0);
    GOOD(cudaGraphAddMemcpyNode1D(&nodes[1], graph, nodes, 1, memory + 4, host, 4,
                                  cudaMemcpyHostToDevice));
    GOOD(cudaGraphAddHostNode(&nodes[2], graph, nodes, 2, &call));
    launch_all();
    expect_bytes("\1\1\1\1\11\11\11\11");

    GOOD(cudaGraphMemsetNodeGetParams(nodes[0], &fill));
    cr_assert(fill.dst == memory && fill.value == 1 && fill.width == 8 && fill.height == 1);
    fill.value = 0x0302, fill.elementSize = 2, fill.width = 4;
    GOOD(cudaGraphExecMemsetNodeSetParams(executable, nodes[0], &fill));
    GOOD(cudaGraphLaunch(executable, one));
    GOOD(cudaStreamSynchronize(one));
    expect_bytes("\2\3\2\3\11\11\11\11");
    launch_all();
    expect_bytes("\1\1\1\1\11\11\11\11"); /* the graph itself is as it was */

    GOOD(cudaGraphMemsetNodeSetParams(nodes[0], &fill));
    GOOD(cudaGraphMemcpyNodeGetParams(nodes[1], &copy));
    cr_assert(copy.srcPtr.ptr == host && copy.extent.width == 4 &&
              copy.kind == cudaMemcpyHostToDevice);
    copy.extent.width = 2;
    GOOD(cudaGraphMemcpyNodeSetParams(nodes[1], &copy));
    launch_all();
    expect_bytes("\2\3\2\3\11\11\2\3");
    GIVES(cudaErrorInvalidValue, cudaGraphMemsetNodeSetParams(nodes[1], &fill));
    GIVES(cudaErrorInvalidValue, cudaGraphHostNodeGetParams(nodes[1], &call));
    GOOD(cudaGraphHostNodeGetParams(nodes[2], &call));
    cr_assert(call.fn == add_one && call.userData == &counter && counter == 4);

    GOOD(cudaGraphNodeSetEnabled(executable, nodes[0], 0));
    GOOD(cudaGraphNodeGetEnabled(executable, nodes[0], &is_enabled));
    cr_assert_not(is_enabled);
    GOOD(cudaMemset(memory, 0, 8));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaGraphLaunch(executable, one));
    GOOD(cudaStreamSynchronize(one));
    expect_bytes("\0\0\0\0\11\11\0\0");
    GIVES(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(executable, nodes[2], 0));
    GIVES(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(executable, nodes[2], &is_enabled));
}

/* A graph in a node runs behind what the node comes after, and before what comes after it. */
Test(runtime_graphs, a_graph_in_a_graph, .init = begin_graph)
{
    cudaGraph_t inner = graph, clone, held;
    cudaGraphNode_t found;
    add_fill(0, 1, 4, NULL, 0);
    nodes[4] = add_fill(4, 2, 4, NULL, 0);
    GOOD(cudaGraphClone(&clone, inner));
    GOOD(cudaGraphNodeFindInClone(&found, nodes[4], clone));
    GIVES(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&found, found, clone));
    GOOD(cudaGraphCreate(&graph, 0));
    nodes[0] = add_fill(0, 5, 8, NULL, 0);
    GOOD(cudaGraphAddChildGraphNode(&nodes[1], graph, nodes, 1, inner));
    nodes[2] = add_fill(0, 6, 1, &nodes[1], 1);
    GOOD(cudaGraphDestroy(inner));
    launch_all();
    expect_bytes("\6\1\1\1\2\2\2\2");
    GOOD(cudaGraphChildGraphNodeGetGraph(nodes[1], &held));
    GIVES(cudaErrorInvalidValue, cudaGraphDestroy(held));

    const struct cudaMemsetParams fill = {memory + 4, 0, 3, 1, 4, 1};
    GOOD(cudaGraphMemsetNodeSetParams(found, &fill));
    GOOD(cudaGraphExecChildGraphNodeSetParams(executable, nodes[1], clone));
    GOOD(cudaGraphLaunch(executable, one));
    GOOD(cudaStreamSynchronize(one));
    expect_bytes("\6\1\1\1\3\3\3\3");
    GIVES(cudaErrorGraphExecUpdateFailure,
          cudaGraphExecChildGraphNodeSetParams(executable, nodes[1], graph));
}

Test(runtime_graphs, an_executable_graph_that_is_updated, .init = begin_graph)
{
    cudaGraphExecUpdateResultInfo info;
    cudaGraph_t first = graph;
    nodes[0] = add_fill(0, 1, 4, NULL, 0);
    add_fill(4, 2, 4, nodes, 1);
    GOOD(cudaGraphInstantiate(&executable, graph, 0));
    GOOD(cudaGraphCreate(&graph, 0));
    nodes[1] = add_fill(0, 3, 4, NULL, 0);
    nodes[2] = add_fill(4, 4, 4, &nodes[1], 1);
    GOOD(cudaGraphExecUpdate(executable, graph, &info));
    cr_assert_eq(info.result, cudaGraphExecUpdateSuccess);
    GOOD(cudaGraphLaunch(executable, one));
    GOOD(cudaStreamSynchronize(one));
    expect_bytes("\3\3\3\3\4\4\4\4");
    GOOD(cudaGraphRemoveDependencies(graph, &nodes[1], &nodes[2], NULL, 1));
    GIVES(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(executable, graph, &info));
    cr_assert(info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == nodes[2]);
    GOOD(cudaGraphExecUpdate(executable, first, NULL));
    GOOD(cudaGraphLaunch(executable, one));
    GOOD(cudaStreamSynchronize(one));
    expect_bytes("\1\1\1\1\2\2\2\2");
}

/* Nodes that a program adds while a stream is captured, and a capture into its own graph. */
Test(runtime_graphs, captured_and_added, .init = begin_graph)
{
    enum cudaStreamCaptureStatus state;
    const cudaGraphNode_t *before;
    cudaGraph_t into;
    size_t count;
    nodes[0] = add_fill(0, 1, 8, NULL, 0);
    GOOD(cudaStreamBeginCaptureToGraph(one, graph, nodes, NULL, 1, cudaStreamCaptureModeRelaxed));
    GOOD(cudaMemsetAsync(memory, 2, 2, one));
    GOOD(cudaStreamGetCaptureInfo(one, &state, NULL, &into, &before, NULL, &count));
    cr_assert(state == cudaStreamCaptureStatusActive && into == graph && count == 1);
    nodes[1] = add_fill(2, 3, 2, before, 1);
    GOOD(cudaStreamUpdateCaptureDependencies(one, &nodes[1], NULL, 1,
                                             cudaStreamSetCaptureDependencies));
    GOOD(cudaMemsetAsync(memory + 4, 4, 1, one));
    GIVES(cudaErrorIllegalState, cudaGraphDestroy(graph));
    GOOD(cudaGraphInstantiate(&executable, graph, 0)); /* as it is by now */
    GOOD(cudaStreamEndCapture(one, &into));
    cr_assert_eq(into, graph);
    GOOD(cudaStreamGetCaptureInfo(one, &state, NULL, NULL, NULL, NULL, NULL));
    cr_assert_eq(state, cudaStreamCaptureStatusNone);
    GOOD(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    cr_assert_eq(count, 3);
    launch_all();
    expect_bytes("\2\2\3\3\4\1\1\1");
}

/* An event that each launch records, and one that each launch waits for. */
Test(runtime_graphs, events_outside, .init = begin_graph)
{
    nodes[0] = add_fill(0, 1, 8, NULL, 0);
    GOOD(cudaGraphAddEventRecordNode(&nodes[1], graph, nodes, 1, join_event));
    GOOD(cudaGraphAddEventWaitNode(&nodes[2], graph, NULL, 0, fork_event));
    add_fill(8, 1, 8, &nodes[2], 1);
    GOOD(cudaMemsetAsync(memory + 8, 2, 8, two));
    GOOD(cudaEventRecord(fork_event, two));
    GIVES(cudaErrorIllegalState,
          cudaEventRecordWithFlags(join_event, two, cudaEventRecordExternal));
    GIVES(cudaErrorIllegalState, cudaStreamWaitEvent(two, fork_event, cudaEventWaitExternal));
    GOOD(cudaGraphInstantiate(&executable, graph, 0));
    GOOD(cudaGraphLaunch(executable, one));
    GOOD(cudaStreamWaitEvent(two, join_event, 0));
    GOOD(cudaMemsetAsync(memory, 3, 8, two));
    GOOD(cudaGraphEventRecordNodeGetEvent(nodes[1], &fork_event));
    cr_assert_eq(fork_event, join_event);
    GOOD(cudaGraphExecEventWaitNodeSetEvent(executable, nodes[2], join_event));
    expect_race(cudaGraphLaunch(executable, one), "cudaMemsetAsync in stream 4 writes it");
}

/* A thread may say that its own calls cannot hurt the captures of others. */
Test(runtime_graphs, a_relaxed_thread, .init = begin)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    void *pointer;
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    GOOD(cudaThreadExchangeStreamCaptureMode(&mode));
    cr_assert_eq(mode, cudaStreamCaptureModeGlobal);
    GOOD(cudaMalloc(&pointer, 4));
    GOOD(cudaThreadExchangeStreamCaptureMode(&mode));
    GIVES(cudaErrorStreamCaptureUnsupported, cudaMalloc(&pointer, 4));
    GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(one, &graph));
}
