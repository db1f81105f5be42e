/* The one device: choosing it, its limits and flags, waiting for it, resetting it. */
#include "array.h"
#include "capture.h"
#include "order.h"
#include "runtime.h"

#include "sim/memory/memory.h"

#include <stdio.h>
#include <string.h>

static const int CUDA_VERSION_REPORTED = 13000; /* of the runtime that this library replaces */
static const char BUS_ID[] = "0000:00:00.0";

/* The limits that the process has set. Only the limits of heap and stack have an effect. */
static size_t limits[] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = 8650752,
    [cudaLimitMallocHeapSize] = 8388608,
    [cudaLimitDevRuntimeSyncDepth] = 0,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
    [cudaLimitPersistingL2CacheSize] = 0,
};
static unsigned device_flags = cudaDeviceMapHost;

size_t sim_stack_limit(void)
{
    return limits[cudaLimitStackSize];
}

/* Answers a call that only asks about the device. */
static cudaError_t answer(const char *call, bool good, int *to, int value)
{
    sim_enter_always();
    if (good && to)
        *to = value;
    return sim_leave_call(good && to ? cudaSuccess : cudaErrorInvalidValue, call);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    return answer(__func__, true, count, 1);
}

cudaError_t cudaGetDevice(int *device)
{
    return answer(__func__, true, device, 0);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return answer(__func__, true, version, CUDA_VERSION_REPORTED);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return answer(__func__, true, version, CUDA_VERSION_REPORTED);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties)
{
    return answer(__func__, properties != NULL, device, 0);
}

static cudaError_t check_device(const char *call, int device)
{
    sim_enter_always();
    return sim_leave_call(device == 0 ? cudaSuccess : cudaErrorInvalidDevice, call);
}

cudaError_t cudaSetDevice(int device)
{
    sim_enter(); /* from now on this host thread uses the primary context */
    sim_leave(cudaSuccess);
    return check_device(__func__, device);
}

cudaError_t cudaInitDevice(int device, unsigned device_flag, unsigned flags)
{
    (void)device_flag, (void)flags;
    return check_device(__func__, device);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    return check_device(__func__, devices && count > 0 ? devices[0] : 0);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    cudaError_t status = check_device(__func__, device ? device : peer);
    return status ? status : answer(__func__, true, can, 0);
}

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t status = sim_enter();
    if (!status)
        status = sim_capture_forbids(true);
    sim_order_host_waits_for_all();
    return sim_leave(status);
}

cudaError_t cudaDeviceReset(void)
{
    sim_enter_always();
    sim_images_reset();
    sim_streams_reset();
    sim_arrays_reset();
    const struct sim_allocation *live;
    while ((live = sim_memory_nearest(0)))
        sim_memory_free(live->address);
    sim_heap_reset();
    sim_set_fault(cudaSuccess);
    return sim_leave(cudaSuccess);
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    sim_enter_always();
    if (flags & ~(unsigned)cudaDeviceMask)
        return sim_leave(cudaErrorInvalidValue);
    device_flags = flags | cudaDeviceMapHost;
    return sim_leave(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    return answer(__func__, true, (int *)flags, (int)device_flags);
}

static bool known_limit(enum cudaLimit limit)
{
    return (unsigned)limit < sizeof limits / sizeof limits[0];
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    cudaError_t status = sim_enter();
    if (!status && !known_limit(limit))
        status = cudaErrorInvalidValue;
    if (!status && limit == cudaLimitDevRuntimeSyncDepth)
        status = cudaErrorUnsupportedLimit;
    if (!status)
        limits[limit] = value;
    if (!status && limit == cudaLimitMallocHeapSize)
        sim_heap_set_limit(value);
    return sim_leave(status);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    cudaError_t status = sim_enter();
    if (!status && (!value || !known_limit(limit)))
        status = cudaErrorInvalidValue;
    if (!status && limit == cudaLimitDevRuntimeSyncDepth)
        status = cudaErrorUnsupportedLimit;
    if (!status)
        *value = limits[limit];
    return sim_leave(status);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    (void)config; /* a hint */
    return sim_leave(sim_enter());
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    return answer(__func__, true, (int *)config, cudaFuncCachePreferNone);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    (void)config; /* without effect on any GPU since Maxwell */
    return sim_leave(sim_enter());
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    return answer(__func__, true, (int *)config, cudaSharedMemBankSizeFourByte);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return sim_leave(sim_enter());
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    sim_enter_always();
    if (device != 0)
        return sim_leave(cudaErrorInvalidDevice);
    if (!id || length < (int)sizeof BUS_ID)
        return sim_leave(cudaErrorInvalidValue);
    memcpy(id, BUS_ID, sizeof BUS_ID);
    return sim_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    unsigned domain = 0, bus = 0, slot = 0;
    bool good = id && (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) == 3 ||
                       (domain = 0, sscanf(id, "%x:%x", &bus, &slot) == 2));
    if (good && !domain && !bus && !slot)
        return answer(__func__, true, device, 0);
    sim_enter_always();
    return sim_leave(good ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

/* ---- what profilers and textures would need -------------------------------------------------- */

cudaError_t cudaProfilerStart(void)
{
    return sim_leave(sim_enter());
}

cudaError_t cudaProfilerStop(void)
{
    return sim_leave(sim_enter());
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* ---- the default memory pool: cudaMallocAsync() needs no other --------------------------------
 */

/* The only memory pool; its address is the handle. */
static struct CUmemPoolHandle_st {
    uint64_t release_threshold;
} default_pool;

static cudaError_t give_pool(const char *call, cudaMemPool_t *pool, int device)
{
    cudaError_t status = sim_enter();
    if (!status && device != 0)
        status = cudaErrorInvalidDevice;
    if (!status && !pool)
        status = cudaErrorInvalidValue;
    if (!status)
        *pool = &default_pool;
    return sim_leave_call(status, call);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return give_pool(__func__, pool, device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return give_pool(__func__, pool, device);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    cudaError_t status = sim_enter();
    if (!status && (pool != &default_pool || !value))
        status = cudaErrorInvalidValue;
    if (!status && attribute == cudaMemPoolAttrReleaseThreshold)
        default_pool.release_threshold = *(uint64_t *)value; /* freed memory goes back at once */
    return sim_leave(status);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    cudaError_t status = sim_enter();
    if (!status && (pool != &default_pool || !value))
        status = cudaErrorInvalidValue;
    if (!status && attribute != cudaMemPoolAttrReleaseThreshold) {
        sim_runtime_report("cudaMemPoolGetAttribute: attribute %d is not implemented",
                           (int)attribute);
        status = cudaErrorNotSupported;
    }
    if (!status)
        *(uint64_t *)value = default_pool.release_threshold;
    return sim_leave(status);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)keep;
    cudaError_t status = sim_enter();
    return sim_leave(status || pool == &default_pool ? status : cudaErrorInvalidValue);
}
