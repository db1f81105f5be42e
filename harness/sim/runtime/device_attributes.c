/* Device attributes. Those that the profile lacks have the values that CUDA 13.0 reports on
 * compute capability 9.0. Features that the simulator lacks (sharing with other processes
 * or APIs) are reported as absent. */
#include "runtime.h"

#include "sim/machine/request.h"

static const int common[] = {
    [cudaDevAttrMaxThreadsPerBlock] = MAX_BLOCK_THREADS,
    [cudaDevAttrMaxBlockDimX] = MAX_BLOCK_X,
    [cudaDevAttrMaxBlockDimY] = MAX_BLOCK_Y,
    [cudaDevAttrMaxBlockDimZ] = MAX_BLOCK_Z,
    [cudaDevAttrMaxGridDimX] = MAX_GRID_X,
    [cudaDevAttrMaxGridDimY] = MAX_GRID_YZ,
    [cudaDevAttrMaxGridDimZ] = MAX_GRID_YZ,
    [cudaDevAttrTotalConstantMemory] = 65536,
    [cudaDevAttrWarpSize] = 32,
    [cudaDevAttrMaxPitch] = 2147483647,
    [cudaDevAttrTextureAlignment] = 512,
    [cudaDevAttrGpuOverlap] = 1,
    [cudaDevAttrCanMapHostMemory] = 1,
    [cudaDevAttrMaxTexture1DWidth] = 131072,
    [cudaDevAttrMaxTexture2DWidth] = 131072,
    [cudaDevAttrMaxTexture2DHeight] = 65536,
    [cudaDevAttrMaxTexture3DWidth] = 16384,
    [cudaDevAttrMaxTexture3DHeight] = 16384,
    [cudaDevAttrMaxTexture3DDepth] = 16384,
    [cudaDevAttrMaxTexture2DLayeredWidth] = 32768,
    [cudaDevAttrMaxTexture2DLayeredHeight] = 32768,
    [cudaDevAttrMaxTexture2DLayeredLayers] = 2048,
    [cudaDevAttrSurfaceAlignment] = 512,
    [cudaDevAttrConcurrentKernels] = 1,
    [cudaDevAttrUnifiedAddressing] = 1,
    [cudaDevAttrMaxTexture1DLayeredWidth] = 32768,
    [cudaDevAttrMaxTexture1DLayeredLayers] = 2048,
    [cudaDevAttrMaxTexture2DGatherWidth] = 32768,
    [cudaDevAttrMaxTexture2DGatherHeight] = 32768,
    [cudaDevAttrMaxTexture3DWidthAlt] = 8192,
    [cudaDevAttrMaxTexture3DHeightAlt] = 8192,
    [cudaDevAttrMaxTexture3DDepthAlt] = 32768,
    [cudaDevAttrTexturePitchAlignment] = 32,
    [cudaDevAttrMaxTextureCubemapWidth] = 32768,
    [cudaDevAttrMaxTextureCubemapLayeredWidth] = 32768,
    [cudaDevAttrMaxTextureCubemapLayeredLayers] = 2046,
    [cudaDevAttrMaxSurface1DWidth] = 32768,
    [cudaDevAttrMaxSurface2DWidth] = 131072,
    [cudaDevAttrMaxSurface2DHeight] = 65536,
    [cudaDevAttrMaxSurface3DWidth] = 16384,
    [cudaDevAttrMaxSurface3DHeight] = 16384,
    [cudaDevAttrMaxSurface3DDepth] = 16384,
    [cudaDevAttrMaxSurface1DLayeredWidth] = 32768,
    [cudaDevAttrMaxSurface1DLayeredLayers] = 2048,
    [cudaDevAttrMaxSurface2DLayeredWidth] = 32768,
    [cudaDevAttrMaxSurface2DLayeredHeight] = 32768,
    [cudaDevAttrMaxSurface2DLayeredLayers] = 2048,
    [cudaDevAttrMaxSurfaceCubemapWidth] = 32768,
    [cudaDevAttrMaxSurfaceCubemapLayeredWidth] = 32768,
    [cudaDevAttrMaxSurfaceCubemapLayeredLayers] = 2046,
    [cudaDevAttrMaxTexture1DLinearWidth] = 268435456,
    [cudaDevAttrMaxTexture2DLinearWidth] = 131072,
    [cudaDevAttrMaxTexture2DLinearHeight] = 65000,
    [cudaDevAttrMaxTexture2DLinearPitch] = 2097120,
    [cudaDevAttrMaxTexture2DMipmappedWidth] = 32768,
    [cudaDevAttrMaxTexture2DMipmappedHeight] = 32768,
    [cudaDevAttrMaxTexture1DMipmappedWidth] = 32768,
    [cudaDevAttrStreamPrioritiesSupported] = 1,
    [cudaDevAttrGlobalL1CacheSupported] = 1,
    [cudaDevAttrLocalL1CacheSupported] = 1,
    [cudaDevAttrManagedMemory] = 1,
    [cudaDevAttrSingleToDoublePrecisionPerfRatio] = 2,
    [cudaDevAttrConcurrentManagedAccess] = 1,
    [cudaDevAttrComputePreemptionSupported] = 1,
    [cudaDevAttrCooperativeLaunch] = 1,
    [cudaDevAttrCanUseHostPointerForRegisteredMem] = 1,
    [cudaDevAttrHostRegisterSupported] = 1,
    [cudaDevAttrMaxAccessPolicyWindowSize] = 134217728,
    [cudaDevAttrHostRegisterReadOnlySupported] = 1,
    [cudaDevAttrMemoryPoolsSupported] = 1,
    [cudaDevAttrMemSyncDomainCount] = 4,
    [cudaDevAttrClusterLaunch] = 1,
    [cudaDevAttrNumaId] = -1,
};

static int of_profile(enum cudaDeviceAttr attribute)
{
    switch (attribute) {
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return sim_device.shared_per_block;
    case cudaDevAttrMaxRegistersPerBlock:
        return sim_device.registers_per_block;
    case cudaDevAttrClockRate:
        return sim_device.clock_khz;
    case cudaDevAttrMultiProcessorCount:
        return sim_device.sm_count;
    case cudaDevAttrMemoryClockRate:
        return sim_device.memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth:
        return sim_device.memory_bus_bits;
    case cudaDevAttrL2CacheSize:
        return sim_device.l2_bytes;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return sim_device.threads_per_sm;
    case cudaDevAttrAsyncEngineCount:
        return sim_device.copy_engines;
    case cudaDevAttrComputeCapabilityMajor:
        return sim_device.compute_major;
    case cudaDevAttrComputeCapabilityMinor:
        return sim_device.compute_minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return sim_device.shared_per_sm;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        return sim_device.registers_per_sm;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return sim_device.shared_per_block_optin;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return sim_device.blocks_per_sm;
    case cudaDevAttrMaxPersistingL2CacheSize:
        return sim_device.l2_persisting_bytes;
    case cudaDevAttrClusterLaunch:
        return sim_device.compute_major >= 9;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        return sim_device.shared_reserved;
    default:
        return common[attribute];
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    sim_enter_always();
    const int count = sizeof common / sizeof common[0];
    if (device != 0)
        return sim_leave(cudaErrorInvalidDevice);
    if (!value || (int)attribute < 1 || (int)attribute >= cudaDevAttrMax)
        return sim_leave(cudaErrorInvalidValue);
    *value = (int)attribute < count ? of_profile(attribute) : 0;
    return sim_leave(cudaSuccess);
}

static int get(enum cudaDeviceAttr attribute)
{
    int value = 0;
    cudaDeviceGetAttribute(&value, attribute, 0);
    return value;
}

static void fill_limits(struct cudaDeviceProp *to)
{
    to->maxThreadsPerBlock = get(cudaDevAttrMaxThreadsPerBlock);
    for (int i = 0; i < 3; i++) {
        to->maxThreadsDim[i] = get(cudaDevAttrMaxBlockDimX + i);
        to->maxGridSize[i] = get(cudaDevAttrMaxGridDimX + i);
    }
    to->warpSize = get(cudaDevAttrWarpSize);
    to->memPitch = (size_t)get(cudaDevAttrMaxPitch);
    to->totalConstMem = (size_t)get(cudaDevAttrTotalConstantMemory);
    to->multiProcessorCount = sim_device.sm_count;
    to->maxThreadsPerMultiProcessor = sim_device.threads_per_sm;
    to->maxBlocksPerMultiProcessor = sim_device.blocks_per_sm;
    to->regsPerBlock = sim_device.registers_per_block;
    to->regsPerMultiprocessor = sim_device.registers_per_sm;
    to->sharedMemPerBlock = (size_t)sim_device.shared_per_block;
    to->sharedMemPerBlockOptin = (size_t)sim_device.shared_per_block_optin;
    to->sharedMemPerMultiprocessor = (size_t)sim_device.shared_per_sm;
    to->reservedSharedMemPerBlock = (size_t)sim_device.shared_reserved;
    to->memoryBusWidth = sim_device.memory_bus_bits;
    to->l2CacheSize = sim_device.l2_bytes;
    to->persistingL2CacheMaxSize = sim_device.l2_persisting_bytes;
    to->accessPolicyMaxWindowSize = get(cudaDevAttrMaxAccessPolicyWindowSize);
}

static void fill_features(struct cudaDeviceProp *to)
{
    to->canMapHostMemory = get(cudaDevAttrCanMapHostMemory);
    to->concurrentKernels = get(cudaDevAttrConcurrentKernels);
    to->asyncEngineCount = sim_device.copy_engines;
    to->unifiedAddressing = get(cudaDevAttrUnifiedAddressing);
    to->streamPrioritiesSupported = get(cudaDevAttrStreamPrioritiesSupported);
    to->globalL1CacheSupported = get(cudaDevAttrGlobalL1CacheSupported);
    to->localL1CacheSupported = get(cudaDevAttrLocalL1CacheSupported);
    to->managedMemory = get(cudaDevAttrManagedMemory);
    to->concurrentManagedAccess = get(cudaDevAttrConcurrentManagedAccess);
    to->computePreemptionSupported = get(cudaDevAttrComputePreemptionSupported);
    to->canUseHostPointerForRegisteredMem = get(cudaDevAttrCanUseHostPointerForRegisteredMem);
    to->hostRegisterSupported = get(cudaDevAttrHostRegisterSupported);
    to->hostRegisterReadOnlySupported = get(cudaDevAttrHostRegisterReadOnlySupported);
    to->memoryPoolsSupported = get(cudaDevAttrMemoryPoolsSupported);
    to->clusterLaunch = get(cudaDevAttrClusterLaunch);
    to->deviceNumaId = get(cudaDevAttrNumaId);
}

/* Sets `count` neighbouring attributes. */
static void fill_run(int *to, enum cudaDeviceAttr first, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = get(first + i);
}

static void fill_textures(struct cudaDeviceProp *to)
{
    to->textureAlignment = (size_t)get(cudaDevAttrTextureAlignment);
    to->texturePitchAlignment = (size_t)get(cudaDevAttrTexturePitchAlignment);
    to->maxTexture1D = get(cudaDevAttrMaxTexture1DWidth);
    to->maxTexture1DMipmap = get(cudaDevAttrMaxTexture1DMipmappedWidth);
    fill_run(to->maxTexture2D, cudaDevAttrMaxTexture2DWidth, 2);
    fill_run(to->maxTexture2DMipmap, cudaDevAttrMaxTexture2DMipmappedWidth, 2);
    fill_run(to->maxTexture2DLinear, cudaDevAttrMaxTexture2DLinearWidth, 3);
    fill_run(to->maxTexture2DGather, cudaDevAttrMaxTexture2DGatherWidth, 2);
    fill_run(to->maxTexture3D, cudaDevAttrMaxTexture3DWidth, 3);
    fill_run(to->maxTexture3DAlt, cudaDevAttrMaxTexture3DWidthAlt, 3);
    to->maxTextureCubemap = get(cudaDevAttrMaxTextureCubemapWidth);
    fill_run(to->maxTexture1DLayered, cudaDevAttrMaxTexture1DLayeredWidth, 2);
    fill_run(to->maxTexture2DLayered, cudaDevAttrMaxTexture2DLayeredWidth, 3);
    fill_run(to->maxTextureCubemapLayered, cudaDevAttrMaxTextureCubemapLayeredWidth, 2);
    to->maxSurface1D = get(cudaDevAttrMaxSurface1DWidth);
    fill_run(to->maxSurface2D, cudaDevAttrMaxSurface2DWidth, 2);
    fill_run(to->maxSurface3D, cudaDevAttrMaxSurface3DWidth, 3);
    fill_run(to->maxSurface1DLayered, cudaDevAttrMaxSurface1DLayeredWidth, 2);
    fill_run(to->maxSurface2DLayered, cudaDevAttrMaxSurface2DLayeredWidth, 3);
    to->maxSurfaceCubemap = get(cudaDevAttrMaxSurfaceCubemapWidth);
    fill_run(to->maxSurfaceCubemapLayered, cudaDevAttrMaxSurfaceCubemapLayeredWidth, 2);
    to->surfaceAlignment = (size_t)get(cudaDevAttrSurfaceAlignment);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    sim_enter_always();
    if (device != 0)
        return sim_leave(cudaErrorInvalidDevice);
    if (!properties)
        return sim_leave(cudaErrorInvalidValue);
    *properties = (struct cudaDeviceProp){.uuid = {"simulated device"},
                                          .major = sim_device.compute_major,
                                          .minor = sim_device.compute_minor};
    for (int i = 0; sim_device.name[i]; i++)
        properties->name[i] = sim_device.name[i];
    size_t free_bytes;
    sim_memory_info(&free_bytes, &properties->totalGlobalMem);
    fill_limits(properties);
    fill_features(properties);
    fill_textures(properties);
    return sim_leave(cudaSuccess);
}
