/* Graphs are those of the runtime. A node's work is a call of the driver API in a stream. */
#include "driver.h"

#include "sim/runtime/graph.h"

#define SAME(a, b) _Static_assert(sizeof(a) == sizeof(b), "one thing, two names")
SAME(CUDA_MEMSET_NODE_PARAMS, struct cudaMemsetParams);
SAME(CUDA_HOST_NODE_PARAMS, struct cudaHostNodeParams);
SAME(CUgraphEdgeData, cudaGraphEdgeData);
SAME(CUgraphExecUpdateResultInfo, cudaGraphExecUpdateResultInfo);
SAME(CUlaunchAttributeValue, cudaLaunchAttributeValue);

/* ---- Capturing ------------------------------------------------------------------------------- */

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    return SIM_IN_CONTEXT(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
}
SIM_PER_THREAD_STREAM(cuStreamBeginCapture_v2, _ptsz);

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    return SIM_IN_CONTEXT(cudaStreamEndCapture(stream, graph));
}
SIM_PER_THREAD_STREAM(cuStreamEndCapture, _ptsz);

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *capturing)
{
    return SIM_IN_CONTEXT(cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)capturing));
}
SIM_PER_THREAD_STREAM(cuStreamIsCapturing, _ptsz);

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *before,
                                     const CUgraphEdgeData *edges, size_t count,
                                     CUstreamCaptureMode mode)
{
    return SIM_IN_CONTEXT(cudaStreamBeginCaptureToGraph(stream, graph, before,
                                                        (const cudaGraphEdgeData *)edges, count,
                                                        (enum cudaStreamCaptureMode)mode));
}
SIM_PER_THREAD_STREAM(cuStreamBeginCaptureToGraph, _ptsz);

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *capturing,
                                cuuint64_t *capture, CUgraph *graph, const CUgraphNode **before,
                                const CUgraphEdgeData **edges, size_t *count)
{
    unsigned long long found = 0;
    const CUresult result = SIM_IN_CONTEXT(
        cudaStreamGetCaptureInfo(stream, (enum cudaStreamCaptureStatus *)capturing, &found, graph,
                                 before, (const cudaGraphEdgeData **)edges, count));
    if (capture && !result)
        *capture = found;
    return result;
}
SIM_PER_THREAD_STREAM(cuStreamGetCaptureInfo_v3, _ptsz);

__attribute__((visibility("default"))) CUresult
cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *capturing, cuuint64_t *capture,
                          CUgraph *graph, const CUgraphNode **before, size_t *count);
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *capturing,
                                   cuuint64_t *capture, CUgraph *graph, const CUgraphNode **before,
                                   size_t *count)
{
    return cuStreamGetCaptureInfo(stream, capturing, capture, graph, before, NULL, count);
}
SIM_PER_THREAD_STREAM(cuStreamGetCaptureInfo_v2, _ptsz);

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *before,
                                           const CUgraphEdgeData *edges, size_t count,
                                           unsigned flags)
{
    return SIM_IN_CONTEXT(cudaStreamUpdateCaptureDependencies(
        stream, before, (const cudaGraphEdgeData *)edges, count, flags));
}
SIM_PER_THREAD_STREAM(cuStreamUpdateCaptureDependencies_v2, _ptsz);

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    return SIM_IN_DRIVER(cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    return SIM_IN_CONTEXT(cudaGraphCreate(graph, flags));
}

CUresult cuGraphClone(CUgraph *made, CUgraph graph)
{
    return SIM_IN_CONTEXT(cudaGraphClone(made, graph));
}

CUresult cuGraphNodeFindInClone(CUgraphNode *found, CUgraphNode original, CUgraph clone)
{
    return SIM_IN_CONTEXT(cudaGraphNodeFindInClone(found, original, clone));
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                     unsigned long long flags)
{
    return SIM_IN_CONTEXT(cudaGraphInstantiateWithFlags(executable, graph, flags));
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    return SIM_IN_CONTEXT(cudaGraphGetNodes(graph, nodes, count));
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    return SIM_IN_CONTEXT(cudaGraphGetRootNodes(graph, nodes, count));
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
                         size_t *count)
{
    return SIM_IN_CONTEXT(cudaGraphGetEdges(graph, from, to, (cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *before, CUgraphEdgeData *edges,
                                    size_t *count)
{
    return SIM_IN_CONTEXT(
        cudaGraphNodeGetDependencies(node, before, (cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *after, CUgraphEdgeData *edges,
                                      size_t *count)
{
    return SIM_IN_CONTEXT(
        cudaGraphNodeGetDependentNodes(node, after, (cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                const CUgraphEdgeData *edges, size_t count)
{
    return SIM_IN_CONTEXT(
        cudaGraphAddDependencies(graph, from, to, (const cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count)
{
    return SIM_IN_CONTEXT(
        cudaGraphRemoveDependencies(graph, from, to, (const cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    return SIM_IN_CONTEXT(cudaGraphDestroyNode(node));
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    return SIM_IN_CONTEXT(cudaGraphNodeGetType(node, (enum cudaGraphNodeType *)type));
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags)
{
    return SIM_IN_CONTEXT(cudaGraphDebugDotPrint(graph, path, flags));
}

CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    return SIM_IN_CONTEXT(
        cudaGraphExecUpdate(executable, graph, (cudaGraphExecUpdateResultInfo *)info));
}

CUresult cuGraphExecGetFlags(CUgraphExec executable, cuuint64_t *flags)
{
    unsigned long long found = 0;
    const CUresult result = SIM_IN_CONTEXT(cudaGraphExecGetFlags(executable, &found));
    if (!result && flags)
        *flags = found;
    return result;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned is_enabled)
{
    return SIM_IN_CONTEXT(cudaGraphNodeSetEnabled(executable, node, is_enabled));
}

CUresult cuGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned *is_enabled)
{
    return SIM_IN_CONTEXT(cudaGraphNodeGetEnabled(executable, node, is_enabled));
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *made, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = cuGraphInstantiateWithFlags(made, graph, parameters->flags);
    parameters->hErrNode_out = NULL;
    parameters->result_out = result ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
    return result;
}
SIM_PER_THREAD_STREAM(cuGraphInstantiateWithParams, _ptsz);

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
    return SIM_IN_CONTEXT(cudaGraphLaunch(executable, stream));
}
SIM_PER_THREAD_STREAM(cuGraphLaunch, _ptsz);

CUresult cuGraphUpload(CUgraphExec executable, CUstream stream)
{
    return SIM_IN_CONTEXT(cudaGraphUpload(executable, stream));
}
SIM_PER_THREAD_STREAM(cuGraphUpload, _ptsz);

CUresult cuGraphExecDestroy(CUgraphExec executable)
{
    return SIM_IN_CONTEXT(cudaGraphExecDestroy(executable));
}

CUresult cuGraphDestroy(CUgraph graph)
{
    return SIM_IN_CONTEXT(cudaGraphDestroy(graph));
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* The driver's calls give the driver's errors; what added the node only needs to know of one. */
static cudaError_t kept(CUresult result)
{
    return (cudaError_t)result; /* the numbers of both APIs are the same for what a call may find */
}

static cudaError_t launch_kernel(const void *parameters)
{
    const CUDA_KERNEL_NODE_PARAMS_v1 *const p = parameters;
    return kept(cuLaunchKernel(p->func, p->gridDimX, p->gridDimY, p->gridDimZ, p->blockDimX,
                               p->blockDimY, p->blockDimZ, p->sharedMemBytes, CU_STREAM_PER_THREAD,
                               p->kernelParams, p->extra));
}

static cudaError_t copy(const void *parameters)
{
    return kept(cuMemcpy3DAsync(parameters, CU_STREAM_PER_THREAD));
}

/* The parameters of both versions begin with the same; the second may name the kernel by `kern`. */
static CUDA_KERNEL_NODE_PARAMS_v1 first_version(const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    return (CUDA_KERNEL_NODE_PARAMS_v1){.func = parameters->func ? parameters->func
                                                                 : (CUfunction)parameters->kern,
                                        .gridDimX = parameters->gridDimX,
                                        .gridDimY = parameters->gridDimY,
                                        .gridDimZ = parameters->gridDimZ,
                                        .blockDimX = parameters->blockDimX,
                                        .blockDimY = parameters->blockDimY,
                                        .blockDimZ = parameters->blockDimZ,
                                        .sharedMemBytes = parameters->sharedMemBytes,
                                        .kernelParams = parameters->kernelParams,
                                        .extra = parameters->extra};
}

/* As runtime/graph_node.c has it: a node of the graph itself for NULL. */
static CUresult change(const CUgraphExec *executable, CUgraphNode node, sim_graph_call *call,
                       const void *parameters)
{
    return SIM_IN_CONTEXT(sim_graph_change(executable, node, call, parameters));
}

CUresult cuGraphAddKernelNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *before,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS_v1 first = first_version(parameters);
    return SIM_IN_CONTEXT(sim_graph_add(made, graph, before, count, launch_kernel, &first));
}
SIM_OLD_NAME(cuGraphAddKernelNode_v2, cuGraphAddKernelNode);

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS_v1 first = first_version(parameters);
    return change(NULL, node, launch_kernel, &first);
}
SIM_OLD_NAME(cuGraphKernelNodeSetParams_v2, cuGraphKernelNodeSetParams);

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS_v1 first = first_version(parameters);
    return change(&executable, node, launch_kernel, &first);
}
SIM_OLD_NAME(cuGraphExecKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams);

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *parameters)
{
    struct cudaKernelNodeParams found;
    const CUresult result = SIM_IN_CONTEXT(cudaGraphKernelNodeGetParams(node, &found));
    if (!result && parameters)
        *parameters = (CUDA_KERNEL_NODE_PARAMS){.func = found.func,
                                                .gridDimX = found.gridDim.x,
                                                .gridDimY = found.gridDim.y,
                                                .gridDimZ = found.gridDim.z,
                                                .blockDimX = found.blockDim.x,
                                                .blockDimY = found.blockDim.y,
                                                .blockDimZ = found.blockDim.z,
                                                .sharedMemBytes = found.sharedMemBytes,
                                                .kernelParams = found.kernelParams};
    return result || parameters ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value)
{
    return SIM_IN_CONTEXT(cudaGraphKernelNodeSetAttribute(node, (cudaLaunchAttributeID)attribute,
                                                          (const cudaLaunchAttributeValue *)value));
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue *value)
{
    return SIM_IN_CONTEXT(cudaGraphKernelNodeGetAttribute(node, (cudaLaunchAttributeID)attribute,
                                                          (cudaLaunchAttributeValue *)value));
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    return SIM_IN_CONTEXT(cudaGraphKernelNodeCopyAttributes(to, from));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *before,
                              size_t count, const CUDA_MEMCPY3D *parameters, CUcontext context)
{
    (void)context;
    return SIM_IN_CONTEXT(sim_graph_add(made, graph, before, count, copy, parameters));
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *parameters)
{
    return change(NULL, node, copy, parameters);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_MEMCPY3D *parameters, CUcontext context)
{
    (void)context;
    return change(&executable, node, copy, parameters);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *before,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS *parameters,
                              CUcontext context)
{
    (void)context;
    return SIM_IN_CONTEXT(cudaGraphAddMemsetNode(made, graph, before, count,
                                                 (const struct cudaMemsetParams *)parameters));
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *parameters)
{
    return SIM_IN_CONTEXT(
        cudaGraphMemsetNodeGetParams(node, (struct cudaMemsetParams *)parameters));
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *parameters)
{
    return SIM_IN_CONTEXT(
        cudaGraphMemsetNodeSetParams(node, (const struct cudaMemsetParams *)parameters));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *parameters,
                                        CUcontext context)
{
    (void)context;
    return SIM_IN_CONTEXT(cudaGraphExecMemsetNodeSetParams(
        executable, node, (const struct cudaMemsetParams *)parameters));
}

CUresult cuGraphAddHostNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *before,
                            size_t count, const CUDA_HOST_NODE_PARAMS *parameters)
{
    return SIM_IN_CONTEXT(cudaGraphAddHostNode(made, graph, before, count,
                                               (const struct cudaHostNodeParams *)parameters));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *parameters)
{
    return SIM_IN_CONTEXT(
        cudaGraphHostNodeGetParams(node, (struct cudaHostNodeParams *)parameters));
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters)
{
    return SIM_IN_CONTEXT(
        cudaGraphHostNodeSetParams(node, (const struct cudaHostNodeParams *)parameters));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *parameters)
{
    return SIM_IN_CONTEXT(cudaGraphExecHostNodeSetParams(
        executable, node, (const struct cudaHostNodeParams *)parameters));
}

CUresult cuGraphAddEmptyNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *before,
                             size_t count)
{
    return SIM_IN_CONTEXT(cudaGraphAddEmptyNode(made, graph, before, count));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *before,
                                  size_t count, CUgraph child)
{
    return SIM_IN_CONTEXT(cudaGraphAddChildGraphNode(made, graph, before, count, child));
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph)
{
    return SIM_IN_CONTEXT(cudaGraphChildGraphNodeGetGraph(node, graph));
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraph child)
{
    return SIM_IN_CONTEXT(cudaGraphExecChildGraphNodeSetParams(executable, node, child));
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *before,
                                   size_t count, CUevent event)
{
    return SIM_IN_CONTEXT(cudaGraphAddEventRecordNode(made, graph, before, count, event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *before,
                                 size_t count, CUevent event)
{
    return SIM_IN_CONTEXT(cudaGraphAddEventWaitNode(made, graph, before, count, event));
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    return SIM_IN_CONTEXT(cudaGraphEventRecordNodeSetEvent(node, event));
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    return SIM_IN_CONTEXT(cudaGraphEventWaitNodeSetEvent(node, event));
}

/* ---- user objects ---------------------------------------------------------------------------- */

CUresult cuUserObjectCreate(CUuserObject *made, void *pointer, CUhostFn destroy, unsigned count,
                            unsigned flags)
{
    return SIM_IN_DRIVER(cudaUserObjectCreate(made, pointer, destroy, count, flags));
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count)
{
    return SIM_IN_DRIVER(cudaUserObjectRetain(object, count));
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count)
{
    return SIM_IN_DRIVER(cudaUserObjectRelease(object, count));
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
    return SIM_IN_DRIVER(cudaGraphRetainUserObject(graph, object, count, flags));
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count)
{
    return SIM_IN_DRIVER(cudaGraphReleaseUserObject(graph, object, count));
}
