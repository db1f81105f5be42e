/* Capturing streams into graphs. Each captured stream is a branch of the capture: a node comes
 * after the branch's last node, and after what the stream has waited for. */
#include "graph.h"
#include "order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long last_capture, last_branch;
/* What this host thread lets captures forbid. */
static _Thread_local enum cudaStreamCaptureMode own_mode = cudaStreamCaptureModeGlobal;

static struct CUgraph_st *find_capture(unsigned long long capture)
{
    struct CUgraph_st *graph = sim_graphs();
    while (graph && (capture == 0 || graph->capture != capture))
        graph = graph->next;
    return graph;
}

static struct CUgraph_st *graph_of(cudaStream_t stream)
{
    const struct sim_captured *const captured = sim_stream_captured(stream);
    return captured ? captured->graph : NULL;
}

/* Adds a branch for a stream. NULL: memory runs out. */
static struct sim_branch *add_branch(struct CUgraph_st *graph, cudaStream_t stream)
{
    struct sim_branch *const branch = calloc(1, sizeof *branch);
    if (!branch)
        return NULL;
    unsigned flags = 0;
    cudaStreamGetFlags(stream, &flags);
    graph->is_blocking |= !(flags & cudaStreamNonBlocking);
    branch->number = ++last_branch;
    branch->is_main = !graph->branches;
    snprintf(branch->stream, sizeof branch->stream, "%s", sim_order_name(sim_stream_order(stream)));
    branch->next = graph->branches;
    graph->branches = branch;
    *sim_stream_captured(stream) = (struct sim_captured){graph, branch};
    return branch;
}

cudaError_t sim_capture_forbids_default(void)
{
    cudaError_t status = cudaSuccess;
    for (struct CUgraph_st *graph = sim_graphs(); graph; graph = graph->next)
        if (graph->capture && graph->is_blocking) {
            graph->is_spoiled = true;
            status = cudaErrorStreamCaptureImplicit;
        }
    return status;
}

bool sim_capture_node(cudaStream_t stream, enum cudaGraphNodeType type, sim_node_run *run,
                      const void *data, size_t size, cudaError_t *status)
{
    struct CUgraph_st *const graph = graph_of(stream);
    if (!graph) {
        *status = sim_stream_captured(stream) ? cudaSuccess : sim_capture_forbids_default();
        return *status != cudaSuccess;
    }
    *status = cudaErrorStreamCaptureInvalidated;
    if (graph->is_spoiled)
        return true;
    struct sim_branch *const branch = sim_stream_captured(stream)->branch;
    struct CUgraphNode_st *const node =
        sim_graph_append(graph, type, &branch->tail, run, data, size);
    *status = cudaErrorMemoryAllocation;
    if (!node)
        return true;
    node->branch = branch->number;
    node->is_main = branch->is_main;
    snprintf(node->stream, sizeof node->stream, "%s", branch->stream);
    sim_nodes_free(&branch->tail);
    if (sim_nodes_add(&branch->tail, node))
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

bool sim_capture_is_begun_by(cudaStream_t stream)
{
    return graph_of(stream) && sim_stream_captured(stream)->branch->is_main;
}

cudaError_t sim_capture_forbids(bool always)
{
    cudaError_t status = cudaSuccess;
    for (struct CUgraph_st *graph = sim_graphs(); graph; graph = graph->next) {
        const bool is_own = pthread_equal(graph->thread, pthread_self());
        const bool is_asked = own_mode == cudaStreamCaptureModeGlobal || is_own;
        const bool counts =
            always || (own_mode != cudaStreamCaptureModeRelaxed && is_asked &&
                       (graph->mode == cudaStreamCaptureModeGlobal ||
                        (graph->mode == cudaStreamCaptureModeThreadLocal && is_own)));
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
        *status = sim_stream_captured(stream) ? cudaSuccess : sim_capture_forbids_default();
        return *status != cudaSuccess;
    }
    *status = cudaErrorStreamCaptureInvalidated;
    if (graph->is_spoiled)
        return true;
    struct sim_nodes *const points =
        realloc(graph->points, ((size_t)graph->point_count + 1) * sizeof *points);
    *status = cudaErrorMemoryAllocation;
    if (!points)
        return true;
    graph->points = points;
    points[graph->point_count] = (struct sim_nodes){0};
    if (!sim_nodes_join(&points[graph->point_count], &sim_stream_captured(stream)->branch->tail))
        return true;
    *point = (struct sim_capture_point){graph->capture, graph->point_count++};
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
    struct sim_branch *const branch =
        graph ? sim_stream_captured(stream)->branch : add_branch(from, stream);
    if (!branch || !sim_nodes_join(&branch->tail, &from->points[point->moment]))
        *status = cudaErrorMemoryAllocation;
    return true;
}

static cudaError_t enter_with(cudaStream_t stream)
{
    const cudaError_t status = sim_enter();
    return status || sim_stream_valid(stream) ? status : cudaErrorInvalidResourceHandle;
}

/* Begins a capture into a graph, or into a new one. */
static cudaError_t begin(cudaStream_t stream, struct CUgraph_st *given,
                         const struct sim_nodes *before, enum cudaStreamCaptureMode mode)
{
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    if (!sim_stream_captured(stream))
        return cudaErrorStreamCaptureUnsupported;
    if (graph_of(stream) || (given && given->capture))
        return cudaErrorIllegalState;
    struct CUgraph_st *const graph = given ? given : sim_graph_new();
    if (!graph)
        return cudaErrorMemoryAllocation;
    graph->capture = ++last_capture;
    graph->is_spoiled = graph->is_blocking = false;
    graph->is_given = given;
    graph->mode = mode;
    graph->thread = pthread_self();
    struct sim_branch *const branch = add_branch(graph, stream);
    return branch && sim_nodes_join(&branch->tail, before) ? cudaSuccess
                                                           : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t status = enter_with(stream);
    if (!status)
        status = begin(stream, NULL, &(struct sim_nodes){0}, mode);
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamBeginCapture, _ptsz);

/* Nodes that a program lists, all of one graph. */
static bool are_of(const struct CUgraph_st *graph, const struct sim_nodes *nodes)
{
    for (int i = 0; i < nodes->count; i++)
        if (!sim_node_is_valid(nodes->list[i]) || nodes->list[i]->graph != graph)
            return false;
    return true;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *before,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          enum cudaStreamCaptureMode mode)
{
    const struct sim_nodes nodes = {(struct CUgraphNode_st **)before, (int)count};
    (void)edges;
    cudaError_t status = enter_with(stream);
    if (!status && (!sim_graph_is_valid(graph) || (count && !before) || !are_of(graph, &nodes)))
        status = cudaErrorInvalidValue;
    if (!status)
        status = begin(stream, graph, &nodes, mode);
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamBeginCaptureToGraph, _ptsz);

/* Whether the stream in which the capture began comes after all nodes of the other streams. */
static bool has_joined(const struct CUgraph_st *graph)
{
    const struct sim_nodes *main = NULL;
    for (struct sim_branch *branch = graph->branches; branch; branch = branch->next)
        if (branch->is_main)
            main = &branch->tail;
    for (int i = 0; i < graph->nodes.count; i++)
        graph->nodes.list[i]->number = 0;
    for (int i = 0; i < graph->nodes.count; i++)
        for (int j = 0; j < graph->nodes.list[i]->before.count; j++)
            graph->nodes.list[i]->before.list[j]->number++;
    for (int i = 0; i < graph->nodes.count; i++) {
        const struct CUgraphNode_st *const node = graph->nodes.list[i];
        if (node->branch && !node->is_main && node->number == 0 && !sim_nodes_hold(main, node))
            return false;
    }
    return true;
}

void sim_capture_end(struct CUgraph_st *graph)
{
    sim_streams_release(graph);
    graph->capture = 0;
    while (graph->branches) {
        struct sim_branch *const next = graph->branches->next;
        sim_nodes_free(&graph->branches->tail);
        free(graph->branches);
        graph->branches = next;
    }
    for (int i = 0; i < graph->point_count; i++)
        sim_nodes_free(&graph->points[i]);
    free(graph->points);
    graph->points = NULL;
    graph->point_count = 0;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *made)
{
    cudaError_t status = enter_with(stream);
    struct CUgraph_st *const graph = status ? NULL : graph_of(stream);
    if (!status && !graph)
        status = cudaErrorIllegalState;
    if (!status && !made && !graph->is_given)
        status = cudaErrorInvalidValue;
    if (!status && graph->mode != cudaStreamCaptureModeRelaxed &&
        !pthread_equal(graph->thread, pthread_self()))
        status = cudaErrorStreamCaptureWrongThread;
    if (!status && !sim_stream_captured(stream)->branch->is_main) {
        graph->is_spoiled = true;
        status = cudaErrorStreamCaptureUnmatched;
    }
    if (status)
        return sim_leave(status);
    if (graph->is_spoiled)
        status = cudaErrorStreamCaptureInvalidated;
    else if (!has_joined(graph))
        status = cudaErrorStreamCaptureUnjoined;
    sim_capture_end(graph);
    if (made)
        *made = status ? NULL : graph;
    if (status && !graph->is_given)
        sim_graph_destroy(graph);
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamEndCapture, _ptsz);

static enum cudaStreamCaptureStatus state_of(const struct CUgraph_st *graph)
{
    return !graph              ? cudaStreamCaptureStatusNone
           : graph->is_spoiled ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *capturing)
{
    cudaError_t status = enter_with(stream);
    if (!status && !capturing)
        status = cudaErrorInvalidValue;
    if (!status)
        *capturing = state_of(graph_of(stream));
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaStreamIsCapturing, _ptsz);

/* The list of nodes is valid until the stream's next call. */
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *capturing,
                                     unsigned long long *capture, cudaGraph_t *graph,
                                     const cudaGraphNode_t **before,
                                     const cudaGraphEdgeData **edges, size_t *count)
{
    cudaError_t status = enter_with(stream);
    if (!status && !capturing)
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    struct CUgraph_st *const into = graph_of(stream);
    *capturing = state_of(into);
    if (*capturing != cudaStreamCaptureStatusActive)
        return sim_leave(cudaSuccess);
    const struct sim_nodes *const tail = &sim_stream_captured(stream)->branch->tail;
    if (capture)
        *capture = into->capture;
    if (graph)
        *graph = into;
    if (before)
        *before = tail->list;
    if (edges)
        *edges = NULL;
    if (count)
        *count = (size_t)tail->count;
    return sim_leave(cudaSuccess);
}
SIM_PER_THREAD_STREAM(cudaStreamGetCaptureInfo, _ptsz);

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *before,
                                                const cudaGraphEdgeData *edges, size_t count,
                                                unsigned flags)
{
    const struct sim_nodes nodes = {before, (int)count};
    (void)edges;
    cudaError_t status = enter_with(stream);
    struct CUgraph_st *const graph = status ? NULL : graph_of(stream);
    if (!status && (!graph || graph->is_spoiled))
        status = cudaErrorIllegalState;
    if (!status &&
        ((count && !before) || flags > cudaStreamSetCaptureDependencies || !are_of(graph, &nodes)))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    struct sim_nodes *const tail = &sim_stream_captured(stream)->branch->tail;
    if (flags == cudaStreamSetCaptureDependencies)
        sim_nodes_free(tail);
    return sim_leave(sim_nodes_join(tail, &nodes) ? cudaSuccess : cudaErrorMemoryAllocation);
}
SIM_PER_THREAD_STREAM(cudaStreamUpdateCaptureDependencies, _ptsz);

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    cudaError_t status = sim_enter();
    if (!status && !mode)
        status = cudaErrorInvalidValue;
    if (!status) {
        const enum cudaStreamCaptureMode old = own_mode;
        own_mode = *mode;
        *mode = old;
    }
    return sim_leave(status);
}
