/* The CUDA runtime for what reads a submission's answers: a launch reads every byte of its
 * arguments, so that a checker sees where they end. */
#include "tests/fuzz/fuzz.h"

#include "grade/recorded_launches/protocol.h"

#include <cuda_runtime_api.h>
#include <string.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, uint3 *thread, uint3 *block, dim3 *block_size,
                            dim3 *grid_size, int *warp_size);

void **__cudaRegisterFatBinary(void *wrapper)
{
    return wrapper;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, uint3 *thread, uint3 *block, dim3 *block_size,
                            dim3 *grid_size, int *warp_size)
{
    (void)handle, (void)host, (void)device, (void)name, (void)limit, (void)thread, (void)block;
    (void)block_size, (void)grid_size, (void)warp_size;
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    const struct lab_record_kernel *kernel = host;
    char parameters[LAB_RECORD_MOST_ARGUMENTS];
    size_t used = 0;
    (void)grid, (void)block, (void)shared, (void)stream;
    for (uint32_t i = 0; i < kernel->count; used += kernel->sizes[i++])
        memcpy(parameters + used, arguments[i], kernel->sizes[i]);
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute, int value)
{
    (void)attribute, (void)value;
    return ((const struct lab_record_kernel *)host)->count ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *host)
{
    *attributes = (struct cudaFuncAttributes){.maxThreadsPerBlock = 1024};
    return ((const struct lab_record_kernel *)host)->count ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    *properties = (struct cudaDeviceProp){.major = 9};
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *address, int byte, size_t count, cudaStream_t stream)
{
    (void)address, (void)byte, (void)count, (void)stream;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)attribute, (void)device;
    *value = 9;
    return cudaSuccess;
}
