/* Executable graphs: a flat copy of a graph, whose nodes run in streams of their own. A node
 * follows one that it comes after in the same stream, and waits for the others. So a launch orders
 * the work as a GPU would, and a race between branches is found like a race between streams. */
#include "graph.h"
#include "order.h"

#include <stdio.h>
#include <stdlib.h>

/* How a node runs. */
struct step {
    int stream;
    bool is_awaited; /* by a node of another stream, or by the end of the launch */
    struct sim_moment done;
};

struct CUgraphExec_st {
    struct CUgraph_st work; /* flat, each node behind those that come before it */
    struct step *steps;     /* of each node */
    cudaStream_t *streams;  /* each launch sets the first */
    int stream_count;
    unsigned long long flags;
    struct sim_moment begun, done; /* of the last launch; the next launch waits for `done` */
    struct CUgraphExec_st *next;
};

static struct CUgraphExec_st *executables;

static bool is_executable(cudaGraphExec_t executable)
{
    for (struct CUgraphExec_st *live = executables; live; live = live->next)
        if (live == executable)
            return true;
    return false;
}

struct CUgraphNode_st *sim_executable_node(cudaGraphExec_t executable, cudaGraphNode_t node)
{
    if (!is_executable(executable))
        return NULL;
    for (int i = 0; i < executable->work.nodes.count; i++)
        if (executable->work.nodes.list[i]->original == node)
            return executable->work.nodes.list[i];
    return NULL;
}

static void close_executable(struct CUgraphExec_st *executable)
{
    struct CUgraphExec_st **link = &executables;
    while (*link != executable)
        link = &(*link)->next;
    *link = executable->next;
    for (int i = 1; i < executable->stream_count; i++)
        cudaStreamDestroy(executable->streams[i]);
    sim_graph_clear(&executable->work);
    free(executable->streams);
    free(executable->steps);
    free(executable);
}

void sim_executables_reset(void)
{
    while (executables)
        close_executable(executables);
}

/* ---- Instantiation --------------------------------------------------------------------------- */

/* Opens a further stream for the node's work. @return its place; -1: memory runs out */
static int open_stream(struct CUgraphExec_st *executable, const struct CUgraphNode_st *node)
{
    const int place = executable->stream_count;
    char name[64];
    if (node->stream[0])
        snprintf(name, sizeof name, "%.28s of a graph", node->stream);
    else
        snprintf(name, sizeof name, "branch %d of a graph", place + 1);
    cudaStream_t *const streams =
        realloc(executable->streams, ((size_t)place + 1) * sizeof(*streams));
    if (!streams)
        return -1;
    executable->streams = streams;
    streams[place] = sim_stream_open(cudaStreamNonBlocking, 0, name);
    if (!streams[place])
        return -1;
    return executable->stream_count++;
}

/* The last node so far in the stream of a step. */
static bool is_tail(const struct CUgraphExec_st *executable, int node, int before)
{
    for (int i = node + 1; i < before; i++)
        if (executable->steps[i].stream == executable->steps[node].stream)
            return false;
    return true;
}

/* The stream that node `i` continues: that of a node which it comes after and no other follows, and
 * which was captured from the same stream. -1: there is none. */
static int find_stream(const struct CUgraphExec_st *executable, int i, bool is_first_free)
{
    const struct CUgraphNode_st *const node = executable->work.nodes.list[i];
    for (int j = 0; j < node->before.count; j++) {
        const struct CUgraphNode_st *const before = node->before.list[j];
        if (before->branch == node->branch && is_tail(executable, before->number, i))
            return executable->steps[before->number].stream;
    }
    return is_first_free && (node->is_main || !node->branch) ? 0 : -1;
}

static cudaError_t plan(struct CUgraphExec_st *executable)
{
    const struct sim_nodes *const nodes = &executable->work.nodes;
    bool is_first_free = true;
    executable->steps = calloc((size_t)nodes->count + 1, sizeof *executable->steps);
    executable->streams = calloc(1, sizeof *executable->streams);
    if (!executable->steps || !executable->streams)
        return cudaErrorMemoryAllocation;
    executable->stream_count = 1;
    for (int i = 0; i < nodes->count; i++)
        nodes->list[i]->number = i;
    for (int i = 0; i < nodes->count; i++) {
        struct step *const step = &executable->steps[i];
        step->stream = find_stream(executable, i, is_first_free);
        if (step->stream < 0)
            step->stream = open_stream(executable, nodes->list[i]);
        if (step->stream < 0)
            return cudaErrorMemoryAllocation;
        is_first_free &= step->stream != 0;
        step->is_awaited = step->stream != 0; /* the launch ends after all streams */
        for (int j = 0; j < nodes->list[i]->before.count; j++) {
            struct step *const before = &executable->steps[nodes->list[i]->before.list[j]->number];
            before->is_awaited |= before->stream != step->stream;
        }
    }
    return cudaSuccess;
}

static cudaError_t enter_to_instantiate(cudaGraphExec_t *made, cudaGraph_t graph,
                                        unsigned long long flags)
{
    const unsigned long long known = cudaGraphInstantiateFlagUpload |
                                     cudaGraphInstantiateFlagUseNodePriority |
                                     cudaGraphInstantiateFlagAutoFreeOnLaunch;
    const cudaError_t status = sim_enter();
    if (status)
        return status;
    if (!made || !sim_graph_is_valid(graph))
        return cudaErrorInvalidValue;
    for (const struct CUgraphExec_st *other = executables; other; other = other->next)
        if (sim_graphs_allocate_the_same(graph, &other->work))
            return cudaErrorNotSupported; /* its memory has one address */
    if (flags & ~known) {
        sim_runtime_report("cudaGraphInstantiate() with flags of %llu is not implemented", flags);
        return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long flags)
{
    cudaError_t status = enter_to_instantiate(made, graph, flags);
    struct CUgraphExec_st *const executable = status ? NULL : calloc(1, sizeof *executable);
    if (!status && !executable)
        status = cudaErrorMemoryAllocation;
    if (status)
        return sim_leave(status);
    executable->flags = flags;
    executable->next = executables;
    executables = executable;
    status = sim_graph_copy(&executable->work, graph, true);
    if (!status)
        status = plan(executable);
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

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *made, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *parameters)
{
    if (!parameters) {
        sim_enter_always();
        return sim_leave(cudaErrorInvalidValue);
    }
    const cudaError_t status = cudaGraphInstantiate(made, graph, parameters->flags);
    parameters->errNode_out = NULL;
    parameters->result_out = status ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    return status;
}
SIM_PER_THREAD_STREAM(cudaGraphInstantiateWithParams, _ptsz);

/* ---- Executable graphs ----------------------------------------------------------------------- */

static cudaError_t enter_with(cudaGraphExec_t executable)
{
    const cudaError_t status = sim_enter();
    return status || is_executable(executable) ? status : cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    const cudaError_t status = enter_with(executable);
    if (!status)
        close_executable(executable);
    return sim_leave(status);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long *flags)
{
    cudaError_t status = enter_with(executable);
    if (!status && !flags)
        status = cudaErrorInvalidValue;
    if (!status)
        *flags = executable->flags;
    return sim_leave(status);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned is_enabled)
{
    cudaError_t status = enter_with(executable);
    struct CUgraphNode_st *const copy = status ? NULL : sim_executable_node(executable, node);
    if (!status && (!copy || copy->type > cudaGraphNodeTypeMemset))
        status = cudaErrorInvalidValue;
    if (!status)
        copy->is_disabled = !is_enabled;
    return sim_leave(status);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned *is_enabled)
{
    cudaError_t status = enter_with(executable);
    const struct CUgraphNode_st *const copy = status ? NULL : sim_executable_node(executable, node);
    if (!status && (!copy || copy->type > cudaGraphNodeTypeMemset || !is_enabled))
        status = cudaErrorInvalidValue;
    if (!status)
        *is_enabled = !copy->is_disabled;
    return sim_leave(status);
}

/* Whether two flat graphs differ in more than what their nodes do; `info` then says where. */
static bool differ(const struct sim_nodes *old, const struct sim_nodes *new,
                   cudaGraphExecUpdateResultInfo *info)
{
    info->result = cudaGraphExecUpdateErrorTopologyChanged;
    if (old->count != new->count)
        return true;
    for (int i = 0; i < old->count; i++)
        old->list[i]->number = new->list[i]->number = i;
    for (int i = 0; i < old->count; i++) {
        const struct CUgraphNode_st *const a = old->list[i], *const b = new->list[i];
        info->errorNode = (cudaGraphNode_t)b->original;
        if (a->before.count != b->before.count)
            return true;
        for (int j = 0; j < a->before.count; j++) {
            info->errorFromNode = (cudaGraphNode_t)b->before.list[j]->original;
            if (a->before.list[j]->number != b->before.list[j]->number)
                return true;
        }
        info->errorFromNode = NULL;
        info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
        if (a->type != b->type)
            return true;
        info->result = cudaGraphExecUpdateErrorTopologyChanged;
    }
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateSuccess};
    return false;
}

/* Gives the nodes of an executable graph the work of another graph's nodes. */
static cudaError_t update(struct CUgraph_st *work, const struct CUgraph_st *graph,
                          cudaGraphExecUpdateResultInfo *info)
{
    const struct sim_nodes *const nodes = &work->nodes;
    struct CUgraph_st flat = {0};
    cudaError_t status = sim_graph_copy(&flat, graph, true);
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    if (!status && differ(nodes, &flat.nodes, info))
        status = cudaErrorGraphExecUpdateFailure;
    for (int i = 0; !status && i < nodes->count; i++)
        sim_node_swap(nodes->list[i], flat.nodes.list[i]);
    if (!status) {
        struct sim_reference *const old = work->references;
        work->references = flat.references;
        flat.references = old;
    }
    sim_graph_clear(&flat);
    return status;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphExecUpdateResultInfo unread;
    cudaError_t status = enter_with(executable);
    if (!status && (!sim_graph_is_valid(graph) || graph->capture))
        status = cudaErrorInvalidValue;
    if (!status)
        status = update(&executable->work, graph, info ? info : &unread);
    return sim_leave(status);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    struct CUgraph_st flat = {0};
    struct sim_nodes inner = {0};
    cudaError_t status = enter_with(executable);
    if (!status &&
        (!sim_node_is_valid(node) || !node->child || !sim_graph_is_valid(child) || child->capture))
        status = cudaErrorInvalidValue;
    if (!status)
        status = sim_graph_copy(&flat, node->child, true);
    /* The nodes that the child graph has in the executable graph, in the same order. */
    for (int i = 0; !status && i < flat.nodes.count; i++) {
        struct CUgraphNode_st *const copy =
            sim_executable_node(executable, (cudaGraphNode_t)flat.nodes.list[i]->original);
        if (!copy)
            status = cudaErrorInvalidValue;
        else if (!sim_nodes_add(&inner, copy))
            status = cudaErrorMemoryAllocation;
    }
    sim_graph_clear(&flat);
    if (!status)
        status = sim_graph_copy(&flat, child, true);
    if (!status && inner.count != flat.nodes.count)
        status = cudaErrorGraphExecUpdateFailure;
    for (int i = 0; !status && i < inner.count; i++)
        if (inner.list[i]->type != flat.nodes.list[i]->type)
            status = cudaErrorGraphExecUpdateFailure;
    for (int i = 0; !status && i < inner.count; i++)
        sim_node_swap(inner.list[i], flat.nodes.list[i]);
    sim_nodes_free(&inner);
    sim_graph_clear(&flat);
    return sim_leave(status);
}

/* ---- Launches -------------------------------------------------------------------------------- */

static cudaError_t enter_to_launch(cudaGraphExec_t executable, cudaStream_t stream)
{
    const cudaError_t status = enter_with(executable);
    return status || sim_stream_valid(stream) ? status : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    return sim_leave(enter_to_launch(executable, stream));
}
SIM_PER_THREAD_STREAM(cudaGraphUpload, _ptsz);

static cudaError_t run_node(struct CUgraphExec_st *executable, int i)
{
    const struct CUgraphNode_st *const node = executable->work.nodes.list[i];
    struct step *const steps = executable->steps;
    const cudaStream_t stream = executable->streams[steps[i].stream];
    const int order = sim_stream_order(stream);
    cudaError_t status = cudaSuccess;
    for (int j = 0; j < node->before.count; j++)
        if (steps[node->before.list[j]->number].stream != steps[i].stream)
            sim_order_wait(order, &steps[node->before.list[j]->number].done);
    if (!node->before.count && steps[i].stream)
        sim_order_wait(order, &executable->begun);
    if (node->run && !node->is_disabled)
        status = node->run(node->data, stream);
    if (steps[i].is_awaited)
        sim_order_record(order, &steps[i].done);
    return status;
}

/* After a kernel's fault the launch still succeeds: the fault shows at the next call, as after a
 * launch without a graph. */
static cudaError_t run(struct CUgraphExec_st *executable)
{
    const struct sim_nodes *const nodes = &executable->work.nodes;
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < nodes->count; i++)
        nodes->list[i]->number = i;
    for (int i = 0; !status && i < nodes->count; i++) {
        const cudaError_t fault = sim_enter();
        if (!fault)
            status = run_node(executable, i);
        sim_leave(status);
        if (fault)
            return cudaSuccess;
    }
    return status;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    cudaError_t status = enter_to_launch(executable, stream);
    if (!status)
        sim_capture_spoils(stream, &status);
    if (!status)
        status = sim_graph_memory_begin(
            &executable->work, executable->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
    if (!status && !sim_stream_captured(stream))
        status = sim_capture_forbids_default();
    if (status)
        return sim_leave(status);
    const int order = sim_stream_order(stream);
    executable->streams[0] = stream;
    sim_conditions_begin(&executable->work);
    sim_order_wait(order, &executable->done);
    sim_order_record(order, &executable->begun);
    status = run(executable);
    for (int i = 0; i < executable->work.nodes.count; i++)
        if (executable->steps[i].stream)
            sim_order_wait(order, &executable->steps[i].done);
    sim_order_record(order, &executable->done);
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaGraphLaunch, _ptsz);
