/* Nodes that a program adds, asks about and changes. A node's work is what the call of a stream
 * would do: the call is captured (capture.c), so it is checked as it is in a stream. */
#include "array.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- Work by a call -------------------------------------------------------------------------- */

/* Captures a call into a graph, behind the nodes of a branch. */
static cudaError_t capture(struct CUgraph_st *graph, struct sim_branch *branch,
                           sim_graph_call *call, const void *parameters)
{
    struct sim_captured *const place = sim_stream_captured(cudaStreamPerThread);
    const struct sim_captured kept = *place;
    const int count = graph->nodes.count;
    *place = (struct sim_captured){graph, branch};
    cudaError_t status = call(parameters);
    *place = kept;
    if (!status && graph->nodes.count != count + 1)
        status = cudaErrorInvalidValue;
    return status;
}

/* Gives a node the work that `call` enqueues. */
static cudaError_t replace(struct CUgraphNode_st *node, sim_graph_call *call,
                           const void *parameters)
{
    struct CUgraph_st scratch = {0};
    struct sim_branch branch = {0};
    cudaError_t status = capture(&scratch, &branch, call, parameters);
    if (!status && scratch.nodes.list[0]->type != node->type)
        status = cudaErrorInvalidValue;
    if (!status) {
        sim_node_swap(node, scratch.nodes.list[0]);
        if (node->type == cudaGraphNodeTypeKernel)
            sim_kernel_node_copy_attributes(node->data, scratch.nodes.list[0]->data);
    }
    sim_nodes_free(&branch.tail);
    sim_graph_clear(&scratch);
    return status;
}

static cudaError_t launch_kernel(const void *parameters)
{
    const struct cudaKernelNodeParams *const p = parameters;
    if (!p->kernelParams && p->extra) {
        sim_runtime_report("kernel nodes with packed arguments (extra) are not implemented");
        return cudaErrorNotSupported;
    }
    return cudaLaunchKernel(p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes,
                            cudaStreamPerThread);
}

static cudaError_t copy_3d(const void *parameters)
{
    return cudaMemcpy3DAsync(parameters, cudaStreamPerThread);
}

/* A copy of bytes, one side of which may be a variable. */
struct linear_copy {
    void *to;
    const void *from;
    size_t count, offset;
    enum cudaMemcpyKind kind;
};

static cudaError_t copy_linear(const void *parameters)
{
    const struct linear_copy *const p = parameters;
    return cudaMemcpyAsync(p->to, p->from, p->count, p->kind, cudaStreamPerThread);
}

static cudaError_t copy_to_symbol(const void *parameters)
{
    const struct linear_copy *const p = parameters;
    return cudaMemcpyToSymbolAsync(p->to, p->from, p->count, p->offset, p->kind,
                                   cudaStreamPerThread);
}

static cudaError_t copy_from_symbol(const void *parameters)
{
    const struct linear_copy *const p = parameters;
    return cudaMemcpyFromSymbolAsync(p->to, p->from, p->count, p->offset, p->kind,
                                     cudaStreamPerThread);
}

static cudaError_t fill(const void *parameters)
{
    const struct cudaMemsetParams *const p = parameters;
    const unsigned unit = p->elementSize;
    if ((unit != 1 && unit != 2 && unit != 4) || p->width > SIZE_MAX / unit || !p->width ||
        !p->height)
        return cudaErrorInvalidValue;
    const size_t width = p->width * unit, pitch = p->height == 1 ? width : p->pitch;
    return sim_fill("cudaMemsetAsync", (struct side){p->dst, pitch, p->height},
                    (struct box){width, p->height, 1}, p->value, unit, cudaStreamPerThread);
}

static cudaError_t call_host(const void *parameters)
{
    const struct cudaHostNodeParams *const p = parameters;
    return cudaLaunchHostFunc(cudaStreamPerThread, p->fn, p->userData);
}

static cudaError_t record_event(const void *event)
{
    return cudaEventRecordWithFlags(*(const cudaEvent_t *)event, cudaStreamPerThread,
                                    cudaEventRecordExternal);
}

static cudaError_t wait_for_event(const void *event)
{
    return cudaStreamWaitEvent(cudaStreamPerThread, *(const cudaEvent_t *)event,
                               cudaEventWaitExternal);
}

/* ---- Adding ---------------------------------------------------------------------------------- */

static cudaError_t enter_to_add(cudaGraphNode_t *made, cudaGraph_t graph,
                                const cudaGraphNode_t *before, size_t count)
{
    const cudaError_t status = sim_enter();
    if (status)
        return status;
    if (!made || !sim_graph_is_valid(graph) || (count && !before))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            if (j < i ? before[i] == before[j] : !sim_nodes_hold(&graph->nodes, before[i]))
                return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t sim_graph_add(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                          size_t count, sim_graph_call *call, const void *parameters)
{
    const struct sim_nodes nodes = {(struct CUgraphNode_st **)before, (int)count};
    struct sim_branch branch = {0};
    cudaError_t status = enter_to_add(made, graph, before, count);
    if (!status && !parameters)
        status = cudaErrorInvalidValue;
    if (!status && !sim_nodes_join(&branch.tail, &nodes))
        status = cudaErrorMemoryAllocation;
    if (!status)
        status = capture(graph, &branch, call, parameters);
    if (!status)
        *made = graph->nodes.list[graph->nodes.count - 1];
    sim_nodes_free(&branch.tail);
    return sim_leave(status);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaKernelNodeParams *parameters)
{
    return sim_graph_add(made, graph, before, count, launch_kernel, parameters);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemcpy3DParms *parameters)
{
    return sim_graph_add(made, graph, before, count, copy_3d, parameters);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *made, cudaGraph_t graph,
                                     const cudaGraphNode_t *before, size_t count, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return sim_graph_add(made, graph, before, count, copy_linear,
                         &(struct linear_copy){to, from, bytes, 0, kind});
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *made, cudaGraph_t graph,
                                           const cudaGraphNode_t *before, size_t count,
                                           const void *symbol, const void *from, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    return sim_graph_add(made, graph, before, count, copy_to_symbol,
                         &(struct linear_copy){(void *)symbol, from, bytes, offset, kind});
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *made, cudaGraph_t graph,
                                             const cudaGraphNode_t *before, size_t count, void *to,
                                             const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    return sim_graph_add(made, graph, before, count, copy_from_symbol,
                         &(struct linear_copy){to, symbol, bytes, offset, kind});
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemsetParams *parameters)
{
    return sim_graph_add(made, graph, before, count, fill, parameters);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                 const cudaGraphNode_t *before, size_t count,
                                 const struct cudaHostNodeParams *parameters)
{
    return sim_graph_add(made, graph, before, count, call_host, parameters);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                        const cudaGraphNode_t *before, size_t count,
                                        cudaEvent_t event)
{
    return sim_graph_add(made, graph, before, count, record_event, &event);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                      const cudaGraphNode_t *before, size_t count,
                                      cudaEvent_t event)
{
    return sim_graph_add(made, graph, before, count, wait_for_event, &event);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                  const cudaGraphNode_t *before, size_t count)
{
    const struct sim_nodes nodes = {(struct CUgraphNode_st **)before, (int)count};
    cudaError_t status = enter_to_add(made, graph, before, count);
    if (!status) {
        *made = sim_graph_append(graph, cudaGraphNodeTypeEmpty, &nodes, NULL, NULL, 0);
        status = *made ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    return sim_leave(status);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                       const cudaGraphNode_t *before, size_t count,
                                       cudaGraph_t child)
{
    const struct sim_nodes nodes = {(struct CUgraphNode_st **)before, (int)count};
    cudaError_t status = enter_to_add(made, graph, before, count);
    if (!status && (!sim_graph_is_valid(child) || child->capture))
        status = cudaErrorInvalidValue;
    struct CUgraph_st *const copy = status ? NULL : sim_graph_new();
    if (!status)
        status = copy ? sim_graph_copy(copy, child, false) : cudaErrorMemoryAllocation;
    if (!status) {
        *made = sim_graph_append(graph, cudaGraphNodeTypeGraph, &nodes, NULL, NULL, 0);
        status = *made ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (!status) {
        copy->is_child = true;
        (*made)->child = copy;
    } else if (copy) {
        sim_graph_destroy(copy);
    }
    return sim_leave(status);
}

/* The call that does what a node of these parameters does, and what the call takes. NULL: a node
 * does it that is not made by a call, or nothing does. */
static sim_graph_call *call_of(const struct cudaGraphNodeParams *parameters, const void **taken)
{
    *taken = &parameters->kernel;
    switch (parameters->type) {
    case cudaGraphNodeTypeKernel:
        return launch_kernel;
    case cudaGraphNodeTypeMemcpy:
        *taken = &parameters->memcpy.copyParams;
        return copy_3d;
    case cudaGraphNodeTypeMemset:
        return fill;
    case cudaGraphNodeTypeHost:
        return call_host;
    case cudaGraphNodeTypeEventRecord:
        return record_event;
    case cudaGraphNodeTypeWaitEvent:
        return wait_for_event;
    default:
        return NULL;
    }
}

static cudaError_t add_conditional(cudaGraphNode_t *made, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   struct cudaConditionalNodeParams *parameters)
{
    const struct sim_nodes nodes = {(struct CUgraphNode_st **)before, (int)count};
    const cudaError_t status = enter_to_add(made, graph, before, count);
    return sim_leave(status ? status : sim_condition_add(made, graph, &nodes, parameters));
}

/* What a node that allocates takes and gives. */
struct allocation {
    size_t size;
    void *pointer;
};

static cudaError_t allocate(const void *parameters)
{
    struct allocation *const wanted = (struct allocation *)parameters;
    return sim_graph_allocate(&wanted->pointer, wanted->size, cudaStreamPerThread);
}

static cudaError_t release(const void *pointer)
{
    return sim_graph_free(*(void *const *)pointer, cudaStreamPerThread);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                     const cudaGraphNode_t *before, size_t count,
                                     struct cudaMemAllocNodeParams *parameters)
{
    struct allocation wanted = {parameters ? parameters->bytesize : 0, NULL};
    const cudaError_t status =
        sim_graph_add(made, graph, before, count, allocate, parameters ? &wanted : NULL);
    if (!status)
        parameters->dptr = wanted.pointer;
    return status;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                    const cudaGraphNode_t *before, size_t count, void *pointer)
{
    return sim_graph_add(made, graph, before, count, release, pointer ? &pointer : NULL);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *made, cudaGraph_t graph,
                             const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                             size_t count, struct cudaGraphNodeParams *parameters)
{
    const void *taken;
    (void)edges;
    if (parameters && parameters->type == cudaGraphNodeTypeEmpty)
        return cudaGraphAddEmptyNode(made, graph, before, count);
    if (parameters && parameters->type == cudaGraphNodeTypeGraph)
        return cudaGraphAddChildGraphNode(made, graph, before, count, parameters->graph.graph);
    if (parameters && parameters->type == cudaGraphNodeTypeConditional)
        return add_conditional(made, graph, before, count, &parameters->conditional);
    if (parameters && parameters->type == cudaGraphNodeTypeMemFree)
        return cudaGraphAddMemFreeNode(made, graph, before, count, parameters->free.dptr);
    if (parameters && parameters->type == cudaGraphNodeTypeMemAlloc) {
        struct cudaMemAllocNodeParams wanted = {.bytesize = parameters->alloc.bytesize};
        const cudaError_t status = cudaGraphAddMemAllocNode(made, graph, before, count, &wanted);
        parameters->alloc.dptr = wanted.dptr;
        return status;
    }
    sim_graph_call *const call = parameters ? call_of(parameters, &taken) : NULL;
    if (call)
        return sim_graph_add(made, graph, before, count, call, taken);
    sim_enter_always();
    if (parameters)
        sim_runtime_report("nodes of type %d are not implemented", (int)parameters->type);
    return sim_leave(parameters ? cudaErrorNotSupported : cudaErrorInvalidValue);
}

/* ---- Changing -------------------------------------------------------------------------------- */

cudaError_t sim_graph_change(const cudaGraphExec_t *executable, cudaGraphNode_t node,
                             sim_graph_call *call, const void *parameters)
{
    cudaError_t status = sim_enter();
    struct CUgraphNode_st *const changed = executable ? sim_executable_node(*executable, node)
                                           : sim_node_is_valid(node) ? node
                                                                     : NULL;
    if (!status && (!changed || !parameters))
        status = cudaErrorInvalidValue;
    if (!status)
        status = replace(changed, call, parameters);
    return sim_leave(status);
}

/* Both calls that change a node, of a graph and of an executable graph. */
#define CHANGES(name, executable_name, call, type)                                                 \
    cudaError_t name(cudaGraphNode_t node, const struct type *parameters)                          \
    {                                                                                              \
        return sim_graph_change(NULL, node, call, parameters);                                     \
    }                                                                                              \
    cudaError_t executable_name(cudaGraphExec_t executable, cudaGraphNode_t node,                  \
                                const struct type *parameters)                                     \
    {                                                                                              \
        return sim_graph_change(&executable, node, call, parameters);                              \
    }
CHANGES(cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams, launch_kernel,
        cudaKernelNodeParams)
CHANGES(cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, copy_3d, cudaMemcpy3DParms)
CHANGES(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, fill, cudaMemsetParams)
CHANGES(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, call_host, cudaHostNodeParams)

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t bytes, enum cudaMemcpyKind kind)
{
    return sim_graph_change(NULL, node, copy_linear,
                            &(struct linear_copy){to, from, bytes, 0, kind});
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void *to, const void *from, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    return sim_graph_change(&executable, node, copy_linear,
                            &(struct linear_copy){to, from, bytes, 0, kind});
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *from, size_t bytes, size_t offset,
                                                 enum cudaMemcpyKind kind)
{
    return sim_graph_change(NULL, node, copy_to_symbol,
                            &(struct linear_copy){(void *)symbol, from, bytes, offset, kind});
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable,
                                                     cudaGraphNode_t node, const void *symbol,
                                                     const void *from, size_t bytes, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    return sim_graph_change(&executable, node, copy_to_symbol,
                            &(struct linear_copy){(void *)symbol, from, bytes, offset, kind});
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to,
                                                   const void *symbol, size_t bytes, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    return sim_graph_change(NULL, node, copy_from_symbol,
                            &(struct linear_copy){to, symbol, bytes, offset, kind});
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable,
                                                       cudaGraphNode_t node, void *to,
                                                       const void *symbol, size_t bytes,
                                                       size_t offset, enum cudaMemcpyKind kind)
{
    return sim_graph_change(&executable, node, copy_from_symbol,
                            &(struct linear_copy){to, symbol, bytes, offset, kind});
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return sim_graph_change(NULL, node, record_event, &event);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaEvent_t event)
{
    return sim_graph_change(&executable, node, record_event, &event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return sim_graph_change(NULL, node, wait_for_event, &event);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               cudaEvent_t event)
{
    return sim_graph_change(&executable, node, wait_for_event, &event);
}

static cudaError_t change_any(const cudaGraphExec_t *executable, cudaGraphNode_t node,
                              const struct cudaGraphNodeParams *parameters)
{
    const void *taken = NULL;
    sim_graph_call *const call = parameters ? call_of(parameters, &taken) : NULL;
    return sim_graph_change(executable, node, call, call ? taken : NULL);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *parameters)
{
    return change_any(NULL, node, parameters);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *parameters)
{
    return change_any(&executable, node, parameters);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static cudaError_t enter_to_ask(cudaGraphNode_t node, enum cudaGraphNodeType type, const void *to)
{
    const cudaError_t status = sim_enter();
    const bool is_good = status || (sim_node_is_valid(node) && node->type == type && to);
    return is_good ? status : cudaErrorInvalidValue;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams *parameters)
{
    cudaError_t status = enter_to_ask(node, cudaGraphNodeTypeKernel, parameters);
    if (!status && !node->arguments) {
        node->arguments = sim_kernel_node_arguments(node->data);
        status = node->arguments ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (!status) {
        sim_kernel_node_get(node->data, parameters);
        parameters->kernelParams = node->arguments;
    }
    return sim_leave(status);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *parameters)
{
    const cudaError_t status = enter_to_ask(node, cudaGraphNodeTypeMemcpy, parameters);
    if (!status)
        sim_copy_node_get(node->data, parameters);
    return sim_leave(status);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *parameters)
{
    const cudaError_t status = enter_to_ask(node, cudaGraphNodeTypeMemset, parameters);
    if (!status)
        sim_fill_node_get(node->data, parameters);
    return sim_leave(status);
}

/* A node of one of these types holds just what is asked for. */
static cudaError_t get_data(cudaGraphNode_t node, enum cudaGraphNodeType type, void *to)
{
    const cudaError_t status = enter_to_ask(node, type, to);
    if (!status)
        memcpy(to, node->data, node->size);
    return sim_leave(status);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *parameters)
{
    return get_data(node, cudaGraphNodeTypeHost, parameters);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return get_data(node, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return get_data(node, cudaGraphNodeTypeWaitEvent, event);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    const cudaError_t status = enter_to_ask(node, cudaGraphNodeTypeGraph, graph);
    if (!status)
        *graph = node->child;
    return sim_leave(status);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue *value)
{
    cudaError_t status = enter_to_ask(node, cudaGraphNodeTypeKernel, value);
    if (!status)
        status = sim_kernel_node_set_attribute(
            node->data, &(cudaLaunchAttribute){.id = attribute, .val = *value});
    return sim_leave(status);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue *value)
{
    const cudaError_t status = enter_to_ask(node, cudaGraphNodeTypeKernel, value);
    cudaLaunchAttribute found = {.id = attribute};
    if (!status) {
        sim_kernel_node_get_attribute(node->data, &found);
        *value = found.val;
    }
    return sim_leave(status);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    cudaError_t status = enter_to_ask(to, cudaGraphNodeTypeKernel, to);
    if (!status && (!sim_node_is_valid(from) || from->type != cudaGraphNodeTypeKernel))
        status = cudaErrorInvalidValue;
    if (!status)
        sim_kernel_node_copy_attributes(to->data, from->data);
    return sim_leave(status);
}
