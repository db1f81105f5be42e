/* The one device, as the driver API describes it. */
#include "driver.h"

#include <stdio.h>
#include <string.h>

CUresult cuDriverGetVersion(int *version)
{
    return sim_driver_error(cudaDriverGetVersion(version));
}

CUresult cuDeviceGetCount(int *count)
{
    return SIM_IN_DRIVER(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    if (ordinal != 0 && !sim_driver_lacks_init())
        return CUDA_ERROR_INVALID_DEVICE;
    return SIM_IN_DRIVER(cudaGetDevice(device));
}

/* Everything of the device, or why not. */
static CUresult get(CUdevice device, const void *to, struct cudaDeviceProp *properties)
{
    const CUresult result = SIM_IN_DRIVER(cudaGetDeviceProperties(properties, device));
    return result || to ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp properties;
    const CUresult result = get(device, name, &properties);
    if (!result && length > 0)
        snprintf(name, (size_t)length, "%s", properties.name);
    return result;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp properties;
    const CUresult result = get(device, uuid, &properties);
    if (!result)
        memcpy(uuid, &properties.uuid, sizeof *uuid);
    return result;
}
SIM_OLD_NAME(cuDeviceGetUuid_v2, cuDeviceGetUuid);

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp properties;
    const CUresult result = get(device, bytes, &properties);
    if (!result)
        *bytes = properties.totalGlobalMem;
    return result;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    struct cudaDeviceProp properties;
    const CUresult result = get(device, major && minor ? major : NULL, &properties);
    if (!result) {
        *major = properties.major;
        *minor = properties.minor;
    }
    return result;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    return SIM_IN_DRIVER(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    return SIM_IN_DRIVER(cudaDeviceCanAccessPeer(can, device, peer));
}

CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device)
{
    return SIM_IN_DRIVER(cudaDeviceGetPCIBusId(id, length, device));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
    return SIM_IN_DRIVER(cudaDeviceGetByPCIBusId(device, id));
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    return SIM_IN_DRIVER(cudaDeviceGetDefaultMemPool(pool, device));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    return SIM_IN_DRIVER(cudaDeviceGetMemPool(pool, device));
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    return SIM_IN_DRIVER(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    return SIM_IN_DRIVER(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
    return SIM_IN_DRIVER(cudaMemPoolTrimTo(pool, keep));
}

CUresult cuProfilerStart(void)
{
    return SIM_IN_CONTEXT(cudaProfilerStart());
}

CUresult cuProfilerStop(void)
{
    return SIM_IN_CONTEXT(cudaProfilerStop());
}
