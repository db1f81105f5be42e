/* Attributes of kernels, and how many blocks of a kernel fit on a multiprocessor. */
#include "runtime.h"

#include "sim/machine/request.h"

#include <cuda_occupancy.h>
#include <limits.h>

/* Enters a call that concerns a kernel, and loads the kernel's code. */
static cudaError_t enter_with(const void *host, struct sim_function **function)
{
    cudaError_t status = sim_enter();
    if (status)
        return status;
    *function = sim_function_find(host);
    return *function ? sim_function_load(*function) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *host)
{
    struct sim_function *function;
    cudaError_t status = enter_with(host, &function);
    if (!status && !attributes)
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    const struct sim_cubin_kernel *compiled = &function->compiled;
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = function->facts.shared_bytes,
        .constSizeBytes = function->facts.constant_bytes,
        .localSizeBytes = compiled->name ? compiled->stack_bytes : function->facts.local_bytes,
        .maxThreadsPerBlock = sim_function_max_threads(function),
        .numRegs = compiled->registers,
        .ptxVersion = function->facts.ptx_version,
        .binaryVersion = sim_device.compute_major * 10 + sim_device.compute_minor,
        .maxDynamicSharedSizeBytes = function->max_dynamic_shared,
        .preferredShmemCarveout = function->carveout,
        .clusterDimMustBeSet = function->facts.cluster[0] > 0,
        .requiredClusterWidth = sim_function_cluster(function)[0],
        .requiredClusterHeight = sim_function_cluster(function)[1],
        .requiredClusterDepth = sim_function_cluster(function)[2],
        .nonPortableClusterSizeAllowed = function->has_large_clusters,
    };
    return sim_leave(cudaSuccess);
}

const int *sim_function_cluster(const struct sim_function *function)
{
    return function->facts.cluster[0] ? function->facts.cluster : function->cluster;
}

int sim_function_cluster_limit(const struct sim_function *function)
{
    enum { HOPPER = 9, PORTABLE = 8 };
    return sim_device.compute_major < HOPPER ? 1
           : function->has_large_clusters    ? MAX_CLUSTER_BLOCKS
                                             : PORTABLE;
}

/* Anew, because a kernel is decoded when it is first launched; after a fault, too. */
static struct sim_kernel_facts decoded_facts(const void *host)
{
    struct sim_kernel_facts facts = {.declared_bytes = 0};
    sim_enter_always();
    const struct sim_function *const function = sim_function_find(host);
    if (function && function->kernel)
        sim_kernel_facts(function->kernel, &facts);
    sim_leave(cudaSuccess);
    return facts;
}

size_t lab_sim_declared_local(const void *host)
{
    return decoded_facts(host).declared_bytes;
}

int lab_sim_reads_coordinate(const void *host, int coordinate)
{
    const struct sim_kernel_facts facts = decoded_facts(host);
    return facts.is_decoded ? (int)(facts.coordinates >> coordinate & 1) : -1;
}

static cudaError_t set_attribute(struct sim_function *function, enum cudaFuncAttribute attribute,
                                 int value)
{
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (size_t)value + function->facts.shared_bytes >
                             (size_t)sim_device.shared_per_block_optin)
            return cudaErrorInvalidValue;
        function->max_dynamic_shared = value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        function->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (value < 0 || function->facts.cluster[0])
            return cudaErrorInvalidValue;
        function->cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        function->has_large_clusters = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute, int value)
{
    struct sim_function *function;
    cudaError_t status = enter_with(host, &function);
    return sim_leave(status ? status : set_attribute(function, attribute, value));
}

cudaError_t cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache config)
{
    (void)config; /* a hint */
    struct sim_function *function;
    return sim_leave(enter_with(host, &function));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *host, enum cudaSharedMemConfig config)
{
    (void)config; /* without effect on any GPU since Maxwell */
    struct sim_function *function;
    return sim_leave(enter_with(host, &function));
}

cudaError_t cudaFuncGetName(const char **name, const void *host)
{
    struct sim_function *function;
    cudaError_t status = enter_with(host, &function);
    if (!status && !name)
        status = cudaErrorInvalidValue;
    if (!status)
        *name = function->name;
    return sim_leave(status);
}

/* ---- threads of a block ------------------------------------------------------------------------
 */

enum { WARP = 32, PARTITIONS = 4, REGISTER_UNIT = 256 };

/* The most threads that registers allow. Each of the four schedulers has a quarter of the register
 * file, and allocates registers to whole warps, in units. For example, with 210 registers a thread,
 * each quarter has room for 2 warps, which makes 256 threads in all. */
static int register_limit(int registers)
{
    int per_warp = (registers * WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    if (per_warp == 0)
        return MAX_BLOCK_THREADS;
    return sim_device.registers_per_block / PARTITIONS / per_warp * PARTITIONS * WARP;
}

int sim_function_max_threads(const struct sim_function *function)
{
    int most = function->facts.max_threads < MAX_BLOCK_THREADS ? function->facts.max_threads
                                                               : MAX_BLOCK_THREADS;
    int by_registers = register_limit(function->compiled.registers);
    return by_registers < most ? by_registers : most;
}

/* ---- occupancy: the toolkit's own arithmetic --------------------------------------------------
 */

static const cudaOccDeviceProp *occupancy_device(void)
{
    static cudaOccDeviceProp device;
    device = (cudaOccDeviceProp){
        .computeMajor =
            sim_device.compute_major < 3 ? 3 : sim_device.compute_major, /* 3: its oldest */
        .computeMinor = sim_device.compute_minor,
        .maxThreadsPerBlock = MAX_BLOCK_THREADS,
        .maxThreadsPerMultiprocessor = sim_device.threads_per_sm,
        .regsPerBlock = sim_device.registers_per_block,
        .regsPerMultiprocessor = sim_device.registers_per_sm,
        .warpSize = 32,
        .sharedMemPerBlock = (size_t)sim_device.shared_per_block,
        .sharedMemPerMultiprocessor = (size_t)sim_device.shared_per_sm,
        .numSms = sim_device.sm_count,
        .sharedMemPerBlockOptin = (size_t)sim_device.shared_per_block_optin,
        .reservedSharedMemPerBlock = (size_t)sim_device.shared_reserved,
    };
    return &device;
}

static cudaOccFuncAttributes occupancy_function(const struct sim_function *function)
{
    return (cudaOccFuncAttributes){
        .maxThreadsPerBlock = sim_function_max_threads(function),
        .numRegs = function->compiled.registers,
        .sharedSizeBytes = function->facts.shared_bytes,
        .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = (size_t)function->max_dynamic_shared,
        .numBlockBarriers = 1,
    };
}

/* The function's preferred carve-out, in the form that the toolkit's arithmetic takes. */
static cudaOccDeviceState occupancy_state(const struct sim_function *function)
{
    return (cudaOccDeviceState){.cacheConfig = CACHE_PREFER_NONE,
                                .carveoutConfig = function->carveout};
}

int sim_function_resident_blocks(const struct sim_function *function, int threads, size_t dynamic)
{
    cudaOccFuncAttributes attributes = occupancy_function(function);
    cudaOccDeviceState state = occupancy_state(function);
    cudaOccResult result = {0};
    if (threads > attributes.maxThreadsPerBlock || dynamic > attributes.maxDynamicSharedSizeBytes)
        return 0;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, occupancy_device(), &attributes, &state,
                                                threads, dynamic) != CUDA_OCC_SUCCESS)
        return -1;
    return result.activeBlocksPerMultiprocessor < sim_device.blocks_per_sm
               ? result.activeBlocksPerMultiprocessor
               : sim_device.blocks_per_sm;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                   int block_size, size_t dynamic,
                                                                   unsigned flags)
{
    struct sim_function *function;
    cudaError_t status = enter_with(host, &function);
    if (!status && (!blocks || block_size <= 0 || flags > cudaOccupancyDisableCachingOverride))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    const int resident = sim_function_resident_blocks(function, block_size, dynamic);
    *blocks = resident < 0 ? 0 : resident;
    return sim_leave(resident < 0 ? cudaErrorUnknown : cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                          int block_size, size_t dynamic)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, block_size, dynamic,
                                                                  cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, const void *host, int blocks,
                                                      int block_size)
{
    struct sim_function *function;
    cudaError_t status = enter_with(host, &function);
    if (!status && (!dynamic || blocks <= 0 || block_size <= 0))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    cudaOccFuncAttributes attributes = occupancy_function(function);
    cudaOccDeviceState state = occupancy_state(function);
    if (cudaOccAvailableDynamicSMemPerBlock(dynamic, occupancy_device(), &attributes, &state,
                                            blocks, block_size) != CUDA_OCC_SUCCESS)
        status = cudaErrorInvalidValue;
    return sim_leave(status);
}

/* ---- clusters ----------------------------------------------------------------------------------
 */

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *host,
                                                 const cudaLaunchConfig_t *config)
{
    struct sim_function *function;
    cudaError_t status = enter_with(host, &function);
    if (!status && (!size || !config))
        status = cudaErrorInvalidValue;
    if (!status)
        *size = sim_function_cluster_limit(function);
    return sim_leave(status);
}

/* The profiles do not say how many SMs a GPC has; a GPU runs fewer clusters where their size does
 * not divide it. */
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *host,
                                           const cudaLaunchConfig_t *config)
{
    struct sim_function *function;
    cudaError_t status = enter_with(host, &function);
    if (!status && (!clusters || !config || (config->numAttrs && !config->attrs)))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    unsigned size = 1;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
            const cudaLaunchAttributeValue *const value = &config->attrs[i].val;
            size = value->clusterDim.x * value->clusterDim.y * value->clusterDim.z;
        }
    const int threads = (int)(config->blockDim.x * config->blockDim.y * config->blockDim.z);
    const int blocks = sim_function_resident_blocks(function, threads, config->dynamicSmemBytes);
    if (size < 1 || (int)size > sim_function_cluster_limit(function))
        return sim_leave(cudaErrorInvalidClusterSize);
    *clusters = blocks < 0 ? 0 : blocks * sim_device.sm_count / (int)size;
    return sim_leave(cudaSuccess);
}
