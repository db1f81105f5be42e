/* Launches, attributes of kernels, and how many blocks of a kernel fit on a multiprocessor. */
#include "driver.h"

#include "sim/machine/program.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "one thing, two names");

/* ---- launches -------------------------------------------------------------------------------- */

/* Where each argument is in a buffer that the program has packed by the rules of the ABI; to be
 * freed. `extra` is a list of names and values. NULL: there is no such buffer, or it is short. */
static void **unpack(CUfunction handle, void **extra)
{
    const struct sim_function *const function = sim_function_find(handle);
    char *buffer = NULL;
    size_t size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = *(const size_t *)extra[1];
        else
            return NULL;
    }
    if (!function || !function->kernel || !buffer)
        return NULL;
    const struct ptx_function *const ptx = function->kernel->ptx;
    void **const arguments = calloc((size_t)ptx->param_count + 1, sizeof *arguments);
    for (int i = 0; arguments && i < ptx->param_count; i++) {
        if (ptx->params[i].offset + ptx->params[i].size > size) {
            free(arguments);
            return NULL;
        }
        arguments[i] = buffer + ptx->params[i].offset;
    }
    return arguments;
}

/* The runtime's form of a launch, whose attributes are the same. */
static cudaLaunchConfig_t runtimes(const CUlaunchConfig *config)
{
    return (cudaLaunchConfig_t){
        .gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .dynamicSmemBytes = config->sharedMemBytes,
        .stream = config->hStream,
        .attrs = (cudaLaunchAttribute *)config->attrs,
        .numAttrs = config->numAttrs};
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                          void **extra)
{
    if (!config || (arguments && extra))
        return CUDA_ERROR_INVALID_VALUE;
    void **const unpacked = extra ? unpack(function, extra) : NULL;
    if (extra && !unpacked)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaLaunchConfig_t same = runtimes(config);
    const CUresult result =
        SIM_IN_CONTEXT(cudaLaunchKernelExC(&same, function, extra ? unpacked : arguments));
    free(unpacked);
    return result;
}
SIM_PER_THREAD_STREAM(cuLaunchKernelEx, _ptsz);

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra)
{
    const CUlaunchConfig config = {.gridDimX = grid_x,
                                   .gridDimY = grid_y,
                                   .gridDimZ = grid_z,
                                   .blockDimX = block_x,
                                   .blockDimY = block_y,
                                   .blockDimZ = block_z,
                                   .sharedMemBytes = shared,
                                   .hStream = stream};
    return cuLaunchKernelEx(&config, function, arguments, extra);
}
SIM_PER_THREAD_STREAM(cuLaunchKernel, _ptsz);

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void **arguments)
{
    return SIM_IN_CONTEXT(cudaLaunchCooperativeKernel(function, (dim3){grid_x, grid_y, grid_z},
                                                      (dim3){block_x, block_y, block_z}, arguments,
                                                      shared, stream));
}
SIM_PER_THREAD_STREAM(cuLaunchCooperativeKernel, _ptsz);

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn call, void *argument)
{
    return SIM_IN_CONTEXT(cudaLaunchHostFunc(stream, call, argument));
}
SIM_PER_THREAD_STREAM(cuLaunchHostFunc, _ptsz);

/* ---- attributes ------------------------------------------------------------------------------ */

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct cudaFuncAttributes all;
    const CUresult result = SIM_IN_CONTEXT(cudaFuncGetAttributes(&all, function));
    if (result)
        return result;
    const int values[] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = all.maxThreadsPerBlock,
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)all.sharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)all.constSizeBytes,
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)all.localSizeBytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] = all.numRegs,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] = all.ptxVersion,
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = all.binaryVersion,
        [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = all.cacheModeCA,
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = all.maxDynamicSharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = all.preferredShmemCarveout,
        [CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] = all.clusterDimMustBeSet,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = all.requiredClusterWidth,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT] = all.requiredClusterHeight,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH] = all.requiredClusterDepth,
        [CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] = all.nonPortableClusterSizeAllowed,
        [CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE] =
            all.clusterSchedulingPolicyPreference,
    };
    if (!value || (unsigned)attribute >= sizeof values / sizeof values[0])
        return CUDA_ERROR_INVALID_VALUE;
    *value = values[attribute];
    return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device)
{
    return device ? CUDA_ERROR_INVALID_DEVICE
                  : cuFuncGetAttribute(value, attribute, (CUfunction)kernel);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    return SIM_IN_CONTEXT(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device)
{
    return device ? CUDA_ERROR_INVALID_DEVICE
                  : cuFuncSetAttribute((CUfunction)kernel, attribute, value);
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    return SIM_IN_CONTEXT(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
    return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig((CUfunction)kernel, config);
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    return SIM_IN_CONTEXT(cudaFuncGetName(name, function));
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
    return cuFuncGetName(name, (CUfunction)kernel);
}

CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *size)
{
    const struct sim_function *const function = sim_function_find(handle);
    if (!function || !function->kernel)
        return CUDA_ERROR_INVALID_HANDLE;
    const struct ptx_function *const ptx = function->kernel->ptx;
    if (!offset || index >= (size_t)ptx->param_count)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = ptx->params[index].offset;
    if (size)
        *size = ptx->params[index].size;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
    return cuFuncGetParamInfo((CUfunction)kernel, index, offset, size);
}

/* What is loaded is loaded as a whole. */
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    if (!state || !sim_function_find(function))
        return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function)
{
    return sim_function_find(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int block_size, size_t dynamic,
                                                              unsigned flags)
{
    return SIM_IN_CONTEXT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, function, block_size, dynamic, flags));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int block_size, size_t dynamic)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                                dynamic, 0);
}

/* The largest of the block sizes with the most threads on a multiprocessor. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *least_grid, int *block_size,
                                                   CUfunction function,
                                                   CUoccupancyB2DSize dynamic_of, size_t dynamic,
                                                   int limit, unsigned flags)
{
    int most = 0, best = 0;
    CUresult result = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    if (!result && (!least_grid || !block_size))
        result = CUDA_ERROR_INVALID_VALUE;
    if (limit > 0 && limit < most)
        most = limit;
    for (int size = most; !result && size > 0; size = (size - 1) / 32 * 32) {
        int blocks;
        result = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, function, size, dynamic_of ? dynamic_of(size) : dynamic, flags);
        if (result || blocks * size <= best)
            continue;
        best = blocks * size;
        *block_size = size;
        *least_grid = blocks * sim_device.sm_count;
    }
    return result || best ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *least_grid, int *block_size, CUfunction function,
                                          CUoccupancyB2DSize dynamic_of, size_t dynamic, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(least_grid, block_size, function, dynamic_of,
                                                     dynamic, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, CUfunction function, int blocks,
                                                 int block_size)
{
    return SIM_IN_CONTEXT(
        cudaOccupancyAvailableDynamicSMemPerBlock(dynamic, function, blocks, block_size));
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function,
                                            const CUlaunchConfig *config)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaLaunchConfig_t same = runtimes(config);
    return SIM_IN_CONTEXT(cudaOccupancyMaxPotentialClusterSize(size, function, &same));
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                      const CUlaunchConfig *config)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaLaunchConfig_t same = runtimes(config);
    return SIM_IN_CONTEXT(cudaOccupancyMaxActiveClusters(clusters, function, &same));
}
