/* Device attributes. Those that the profile lacks have the values that CUDA 13.0 reports on
 * compute capability 9.0. Features that the simulator lacks (sharing with
 * other APIs) are reported as absent. */
#include "runtime.h"

#include "sim/machine/request.h"

#include <stddef.h>
#include <string.h>

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
    [102 /* virtual memory management, which the runtime has no name for */] = 1,
    [103 /* its handles as files */] = 1,
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

/* Which attribute a property is. A list has as many neighbouring ones as it has elements. */
#define MEMBER(name) ((struct cudaDeviceProp *)NULL)->name
#define ONE(name, attribute)                                                                       \
    {                                                                                              \
        offsetof(struct cudaDeviceProp, name), sizeof MEMBER(name), 1, attribute                   \
    }
#define LIST(name, attribute)                                                                      \
    {                                                                                              \
        offsetof(struct cudaDeviceProp, name), sizeof(int), sizeof MEMBER(name) / sizeof(int),     \
            attribute                                                                              \
    }
static const struct {
    size_t offset, size, count; /* of an element: int or size_t */
    enum cudaDeviceAttr attribute;
} members[] = {
    ONE(maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock),
    ONE(warpSize, cudaDevAttrWarpSize),
    ONE(memPitch, cudaDevAttrMaxPitch),
    ONE(totalConstMem, cudaDevAttrTotalConstantMemory),
    ONE(multiProcessorCount, cudaDevAttrMultiProcessorCount),
    ONE(maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor),
    ONE(maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor),
    ONE(regsPerBlock, cudaDevAttrMaxRegistersPerBlock),
    ONE(regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor),
    ONE(sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock),
    ONE(sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin),
    ONE(sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor),
    ONE(reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock),
    ONE(memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth),
    ONE(l2CacheSize, cudaDevAttrL2CacheSize),
    ONE(persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize),
    ONE(accessPolicyMaxWindowSize, cudaDevAttrMaxAccessPolicyWindowSize),
    ONE(canMapHostMemory, cudaDevAttrCanMapHostMemory),
    ONE(concurrentKernels, cudaDevAttrConcurrentKernels),
    ONE(asyncEngineCount, cudaDevAttrAsyncEngineCount),
    ONE(unifiedAddressing, cudaDevAttrUnifiedAddressing),
    ONE(streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported),
    ONE(globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported),
    ONE(localL1CacheSupported, cudaDevAttrLocalL1CacheSupported),
    ONE(managedMemory, cudaDevAttrManagedMemory),
    ONE(concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess),
    ONE(computePreemptionSupported, cudaDevAttrComputePreemptionSupported),
    ONE(cooperativeLaunch, cudaDevAttrCooperativeLaunch),
    ONE(canUseHostPointerForRegisteredMem, cudaDevAttrCanUseHostPointerForRegisteredMem),
    ONE(hostRegisterSupported, cudaDevAttrHostRegisterSupported),
    ONE(hostRegisterReadOnlySupported, cudaDevAttrHostRegisterReadOnlySupported),
    ONE(memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported),
    ONE(clusterLaunch, cudaDevAttrClusterLaunch),
    ONE(deviceNumaId, cudaDevAttrNumaId),
    ONE(textureAlignment, cudaDevAttrTextureAlignment),
    ONE(texturePitchAlignment, cudaDevAttrTexturePitchAlignment),
    ONE(surfaceAlignment, cudaDevAttrSurfaceAlignment),
    ONE(maxTexture1D, cudaDevAttrMaxTexture1DWidth),
    ONE(maxTexture1DMipmap, cudaDevAttrMaxTexture1DMipmappedWidth),
    ONE(maxTextureCubemap, cudaDevAttrMaxTextureCubemapWidth),
    ONE(maxSurface1D, cudaDevAttrMaxSurface1DWidth),
    ONE(maxSurfaceCubemap, cudaDevAttrMaxSurfaceCubemapWidth),
    LIST(maxThreadsDim, cudaDevAttrMaxBlockDimX),
    LIST(maxGridSize, cudaDevAttrMaxGridDimX),
    LIST(maxTexture2D, cudaDevAttrMaxTexture2DWidth),
    LIST(maxTexture2DMipmap, cudaDevAttrMaxTexture2DMipmappedWidth),
    LIST(maxTexture2DLinear, cudaDevAttrMaxTexture2DLinearWidth),
    LIST(maxTexture2DGather, cudaDevAttrMaxTexture2DGatherWidth),
    LIST(maxTexture3D, cudaDevAttrMaxTexture3DWidth),
    LIST(maxTexture3DAlt, cudaDevAttrMaxTexture3DWidthAlt),
    LIST(maxTexture1DLayered, cudaDevAttrMaxTexture1DLayeredWidth),
    LIST(maxTexture2DLayered, cudaDevAttrMaxTexture2DLayeredWidth),
    LIST(maxTextureCubemapLayered, cudaDevAttrMaxTextureCubemapLayeredWidth),
    LIST(maxSurface2D, cudaDevAttrMaxSurface2DWidth),
    LIST(maxSurface3D, cudaDevAttrMaxSurface3DWidth),
    LIST(maxSurface1DLayered, cudaDevAttrMaxSurface1DLayeredWidth),
    LIST(maxSurface2DLayered, cudaDevAttrMaxSurface2DLayeredWidth),
    LIST(maxSurfaceCubemapLayered, cudaDevAttrMaxSurfaceCubemapLayeredWidth),
};

static void fill_members(struct cudaDeviceProp *to)
{
    for (size_t m = 0; m < sizeof members / sizeof *members; m++)
        for (size_t i = 0; i < members[m].count; i++) {
            const int value = get(members[m].attribute + (int)i);
            const size_t wide = (size_t)value;
            memcpy((char *)to + members[m].offset + i * members[m].size,
                   members[m].size == sizeof wide ? (const void *)&wide : &value, members[m].size);
        }
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
    fill_members(properties);
    return sim_leave(cudaSuccess);
}
