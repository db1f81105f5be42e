/* Memory by the driver API: device memory has numbers for addresses, which are the runtime's
 * pointers. */
#include "driver.h"

#include "sim/runtime/array.h"

#include <string.h>

/* ---- allocating ------------------------------------------------------------------------------ */

/* Gives what the runtime has allocated its other form. */
static CUresult give(CUresult result, CUdeviceptr *to, void *const *pointer)
{
    if (!result)
        *to = (CUdeviceptr)(uintptr_t)*pointer;
    return result;
}

/* Unlike the runtime, the driver refuses an allocation of 0 bytes. */
CUresult cuMemAlloc(CUdeviceptr *address, size_t size)
{
    void *made = NULL;
    if (!address || !size)
        return CUDA_ERROR_INVALID_VALUE;
    return give(SIM_IN_CONTEXT(cudaMalloc(&made, size)), address, &made);
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned flags)
{
    void *made = NULL;
    if (!address || !size)
        return CUDA_ERROR_INVALID_VALUE;
    return give(SIM_IN_CONTEXT(cudaMallocManaged(&made, size, flags)), address, &made);
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream)
{
    void *made = NULL;
    if (!address || !size)
        return CUDA_ERROR_INVALID_VALUE;
    return give(SIM_IN_CONTEXT(cudaMallocAsync(&made, size, stream)), address, &made);
}
SIM_PER_THREAD_STREAM(cuMemAllocAsync, _ptsz);

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t size, CUmemoryPool pool,
                                 CUstream stream)
{
    CUmemoryPool only;
    if (cudaDeviceGetMemPool(&only, 0) || pool != only)
        return CUDA_ERROR_INVALID_VALUE;
    return cuMemAllocAsync(address, size, stream);
}
SIM_PER_THREAD_STREAM(cuMemAllocFromPoolAsync, _ptsz);

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                         unsigned element)
{
    void *made = NULL;
    if (!address || !pitch || !width || !height || (element != 4 && element != 8 && element != 16))
        return CUDA_ERROR_INVALID_VALUE;
    return give(SIM_IN_CONTEXT(cudaMallocPitch(&made, pitch, width, height)), address, &made);
}

CUresult cuMemFree(CUdeviceptr address)
{
    return SIM_IN_CONTEXT(cudaFree(sim_pointer(address)));
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    return SIM_IN_CONTEXT(cudaFreeAsync(sim_pointer(address), stream));
}
SIM_PER_THREAD_STREAM(cuMemFreeAsync, _ptsz);

CUresult cuMemAllocHost(void **pointer, size_t size)
{
    return SIM_IN_CONTEXT(cudaMallocHost(pointer, size));
}

CUresult cuMemHostAlloc(void **pointer, size_t size, unsigned flags)
{
    return SIM_IN_CONTEXT(cudaHostAlloc(pointer, size, flags));
}

CUresult cuMemFreeHost(void *pointer)
{
    return SIM_IN_CONTEXT(cudaFreeHost(pointer));
}

CUresult cuMemHostRegister(void *pointer, size_t size, unsigned flags)
{
    return SIM_IN_CONTEXT(cudaHostRegister(pointer, size, flags));
}
SIM_OLD_NAME(cuMemHostRegister_v2, cuMemHostRegister);

CUresult cuMemHostUnregister(void *pointer)
{
    return SIM_IN_CONTEXT(cudaHostUnregister(pointer));
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *pointer, unsigned flags)
{
    void *device = NULL;
    if (!address)
        return CUDA_ERROR_INVALID_VALUE;
    return give(SIM_IN_CONTEXT(cudaHostGetDevicePointer(&device, pointer, flags)), address,
                &device);
}

CUresult cuMemGetInfo(size_t *available, size_t *total)
{
    return SIM_IN_CONTEXT(cudaMemGetInfo(available, total));
}

/* ---- describing ------------------------------------------------------------------------------ */

/* The start and size of the allocation that holds an address. */
static cudaError_t range_of(CUdeviceptr address, CUdeviceptr *start, size_t *size)
{
    cudaError_t status = sim_enter();
    const struct sim_allocation *const found = status ? NULL : sim_memory_find(address);
    CUdeviceptr from = found ? found->address : 0;
    size_t bytes = found ? found->size : 0;
    if (found)
        sim_mapping_at(address, &from, &bytes); /* of several mappings in a row the one */
    else if (!status)
        status = cudaErrorSymbolNotFound;
    if (!status && start)
        *start = from;
    if (!status && size)
        *size = bytes;
    return sim_leave_call(status, "cuMemGetAddressRange");
}

CUresult cuMemGetAddressRange(CUdeviceptr *start, size_t *size, CUdeviceptr address)
{
    return SIM_IN_CONTEXT(range_of(address, start, size));
}

static CUresult describe(void *to, CUpointer_attribute attribute, CUdeviceptr address)
{
    struct cudaPointerAttributes found;
    CUdeviceptr start;
    size_t bytes;
    CUresult result = SIM_IN_CONTEXT(cudaPointerGetAttributes(&found, sim_pointer(address)));
    if (!result && found.type == cudaMemoryTypeUnregistered)
        result = CUDA_ERROR_INVALID_VALUE;
    if (!result)
        result = cuMemGetAddressRange(&start, &bytes, address);
    if (result)
        return result;
    const bool is_managed = found.type == cudaMemoryTypeManaged;
    const bool is_host = found.type == cudaMemoryTypeHost;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return cuCtxGetCurrent(to);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)to = is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)to = address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)to = found.hostPointer;
        return found.hostPointer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: /* no two live allocations have the same */
        *(unsigned long long *)to = start;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)to = is_managed || attribute == CU_POINTER_ATTRIBUTE_MAPPED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(int *)to = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)to = start;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)to = bytes;
        return CUDA_SUCCESS;
    default:
        return sim_driver_refuse("cuPointerGetAttribute: attribute %d is not implemented",
                                 (int)attribute);
    }
}

CUresult cuPointerGetAttribute(void *to, CUpointer_attribute attribute, CUdeviceptr address)
{
    return to ? describe(to, attribute, address) : CUDA_ERROR_INVALID_VALUE;
}

/* What a pointer does not have is 0 here, and no error. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **to,
                                CUdeviceptr address)
{
    if (!count || !attributes || !to)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        const CUresult result = cuPointerGetAttribute(to[i], attributes[i], address);
        const bool is_wide = attributes[i] == CU_POINTER_ATTRIBUTE_CONTEXT ||
                             attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
                             attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
                             attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                             attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE ||
                             attributes[i] == CU_POINTER_ATTRIBUTE_BUFFER_ID;
        if (result == CUDA_ERROR_INVALID_VALUE && to[i])
            memset(to[i], 0, is_wide ? sizeof(uint64_t) : sizeof(int));
        else if (result)
            return result;
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                               CUdeviceptr address)
{
    (void)value, (void)address;
    return attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t count, CUmemLocation location,
                            unsigned flags, CUstream stream)
{
    (void)location;
    return SIM_IN_CONTEXT(cudaMemPrefetchAsync(sim_pointer(address), count,
                                               (struct cudaMemLocation){.type = 0}, flags, stream));
}
SIM_PER_THREAD_STREAM(cuMemPrefetchAsync_v2, _ptsz);

CUresult cuMemAdvise(CUdeviceptr address, size_t count, CUmem_advise advice, CUmemLocation location)
{
    (void)location;
    return SIM_IN_CONTEXT(cudaMemAdvise(sim_pointer(address), count, (enum cudaMemoryAdvise)advice,
                                        (struct cudaMemLocation){.type = 0}));
}

/* ---- copying --------------------------------------------------------------------------------- */

static cudaError_t copy(const char *call, const void *to, const void *from, size_t count,
                        enum cudaMemcpyKind kind, CUstream stream)
{
    return sim_copy(call, (struct side){to, count, 1}, (struct side){from, count, 1},
                    (struct box){count, 1, 1}, kind, stream);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t count)
{
    return SIM_IN_CONTEXT(
        sim_copied(copy("cuMemcpyHtoD", sim_pointer(to), from, count, cudaMemcpyHostToDevice, 0),
                   sim_pointer(to), from));
}
SIM_PER_THREAD_STREAM(cuMemcpyHtoD_v2, _ptds);

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t count)
{
    return SIM_IN_CONTEXT(
        sim_copied(copy("cuMemcpyDtoH", to, sim_pointer(from), count, cudaMemcpyDeviceToHost, 0),
                   to, sim_pointer(from)));
}
SIM_PER_THREAD_STREAM(cuMemcpyDtoH_v2, _ptds);

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t count)
{
    return SIM_IN_CONTEXT(copy("cuMemcpyDtoD", sim_pointer(to), sim_pointer(from), count,
                               cudaMemcpyDeviceToDevice, 0));
}
SIM_PER_THREAD_STREAM(cuMemcpyDtoD_v2, _ptds);

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t count)
{
    return SIM_IN_CONTEXT(sim_copied(
        copy("cuMemcpy", sim_pointer(to), sim_pointer(from), count, cudaMemcpyDefault, 0),
        sim_pointer(to), sim_pointer(from)));
}
SIM_PER_THREAD_STREAM(cuMemcpy, _ptds);

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t count, CUstream stream)
{
    return SIM_IN_CONTEXT(
        copy("cuMemcpyHtoDAsync", sim_pointer(to), from, count, cudaMemcpyHostToDevice, stream));
}
SIM_PER_THREAD_STREAM(cuMemcpyHtoDAsync_v2, _ptsz);

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t count, CUstream stream)
{
    return SIM_IN_CONTEXT(
        copy("cuMemcpyDtoHAsync", to, sim_pointer(from), count, cudaMemcpyDeviceToHost, stream));
}
SIM_PER_THREAD_STREAM(cuMemcpyDtoHAsync_v2, _ptsz);

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t count, CUstream stream)
{
    return SIM_IN_CONTEXT(copy("cuMemcpyDtoDAsync", sim_pointer(to), sim_pointer(from), count,
                               cudaMemcpyDeviceToDevice, stream));
}
SIM_PER_THREAD_STREAM(cuMemcpyDtoDAsync_v2, _ptsz);

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t count, CUstream stream)
{
    return SIM_IN_CONTEXT(copy("cuMemcpyAsync", sim_pointer(to), sim_pointer(from), count,
                               cudaMemcpyDefault, stream));
}
SIM_PER_THREAD_STREAM(cuMemcpyAsync, _ptsz);

/* All contexts are of one device. */
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t count, CUstream stream)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoDAsync(to, from, count, stream);
}
SIM_PER_THREAD_STREAM(cuMemcpyPeerAsync, _ptsz);

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t count)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoD(to, from, count);
}
SIM_PER_THREAD_STREAM(cuMemcpyPeer, _ptds);

/* One side of a box, as the caller describes it. */
struct end {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, rows;
};

/* A box in an array must be in it; its pitch is the array's. */
static cudaError_t side_in_array(const struct end *end, const struct box *box, struct side *side)
{
    const struct cudaArray *const array = sim_array_find((cudaArray_const_t)end->array);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    if (end->x > array->pitch || box->width > array->pitch - end->x || end->y > array->rows ||
        box->rows > array->rows - end->y || end->z > array->slices ||
        box->slices > array->slices - end->z)
        return cudaErrorInvalidValue;
    *side = (struct side){(const char *)array->address +
                              (end->z * array->rows + end->y) * array->pitch + end->x,
                          array->pitch, array->rows};
    return cudaSuccess;
}

/* A pitch of 0 is that of rows without gaps. */
static cudaError_t side_of(const struct end *end, const struct box *box, struct side *side)
{
    const bool is_device = end->type == CU_MEMORYTYPE_DEVICE || end->type == CU_MEMORYTYPE_UNIFIED;
    if (end->type == CU_MEMORYTYPE_ARRAY)
        return side_in_array(end, box, side);
    const char *const corner = is_device                         ? sim_pointer(end->device)
                               : end->type == CU_MEMORYTYPE_HOST ? end->host
                                                                 : NULL;
    const size_t pitch = end->pitch ? end->pitch : end->x + box->width;
    const size_t rows = end->rows ? end->rows : box->rows;
    if (!corner)
        return cudaErrorInvalidValue;
    *side = (struct side){corner + (end->z * rows + end->y) * pitch + end->x, pitch, rows};
    return cudaSuccess;
}

static cudaError_t copy_box(const char *call, const CUDA_MEMCPY3D *what, CUstream stream)
{
    const struct end target = {what->dstMemoryType, what->dstHost,     what->dstDevice,
                               what->dstArray,      what->dstXInBytes, what->dstY,
                               what->dstZ,          what->dstPitch,    what->dstHeight},
                     source = {what->srcMemoryType, what->srcHost,     what->srcDevice,
                               what->srcArray,      what->srcXInBytes, what->srcY,
                               what->srcZ,          what->srcPitch,    what->srcHeight};
    const struct box box = {what->WidthInBytes, what->Height, what->Depth};
    struct side to, from;
    cudaError_t status = sim_enter();
    if (!status)
        status = side_of(&target, &box, &to);
    if (!status)
        status = side_of(&source, &box, &from);
    if (!status)
        status = sim_copy(call, to, from, box, cudaMemcpyDefault, stream);
    return sim_leave_call(status, call);
}

/* A copy of two dimensions is one of three, with one slice. */
static CUDA_MEMCPY3D deepened(const CUDA_MEMCPY2D *flat)
{
    return (CUDA_MEMCPY3D){.srcXInBytes = flat->srcXInBytes,
                           .srcY = flat->srcY,
                           .srcMemoryType = flat->srcMemoryType,
                           .srcHost = flat->srcHost,
                           .srcDevice = flat->srcDevice,
                           .srcArray = flat->srcArray,
                           .srcPitch = flat->srcPitch,
                           .dstXInBytes = flat->dstXInBytes,
                           .dstY = flat->dstY,
                           .dstMemoryType = flat->dstMemoryType,
                           .dstHost = flat->dstHost,
                           .dstDevice = flat->dstDevice,
                           .dstArray = flat->dstArray,
                           .dstPitch = flat->dstPitch,
                           .WidthInBytes = flat->WidthInBytes,
                           .Height = flat->Height,
                           .Depth = 1};
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *what, CUstream stream)
{
    return !what ? CUDA_ERROR_INVALID_VALUE
                 : SIM_IN_CONTEXT(copy_box("cuMemcpy3DAsync", what, stream));
}
SIM_PER_THREAD_STREAM(cuMemcpy3DAsync_v2, _ptsz);

static CUresult copy_and_wait(const char *call, const CUDA_MEMCPY3D *what)
{
    const bool is_inside =
        what->srcMemoryType == CU_MEMORYTYPE_DEVICE && what->dstMemoryType == CU_MEMORYTYPE_DEVICE;
    return SIM_IN_CONTEXT(sim_copied(copy_box(call, what, 0),
                                     is_inside ? sim_pointer(what->dstDevice) : NULL,
                                     is_inside ? sim_pointer(what->srcDevice) : NULL));
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *what)
{
    return what ? copy_and_wait("cuMemcpy3D", what) : CUDA_ERROR_INVALID_VALUE;
}
SIM_PER_THREAD_STREAM(cuMemcpy3D_v2, _ptds);

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *what, CUstream stream)
{
    if (!what)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D deep = deepened(what);
    return SIM_IN_CONTEXT(copy_box("cuMemcpy2DAsync", &deep, stream));
}
SIM_PER_THREAD_STREAM(cuMemcpy2DAsync_v2, _ptsz);

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *what)
{
    if (!what)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D deep = deepened(what);
    return copy_and_wait("cuMemcpy2D", &deep);
}
SIM_PER_THREAD_STREAM(cuMemcpy2D_v2, _ptds);

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *what)
{
    return cuMemcpy2D(what);
}
SIM_PER_THREAD_STREAM(cuMemcpy2DUnaligned_v2, _ptds);

/* ---- filling --------------------------------------------------------------------------------- */

static cudaError_t fill(const char *call, CUdeviceptr to, size_t pitch, uint32_t value, size_t unit,
                        size_t width, size_t height, CUstream stream)
{
    if (to % unit || (height > 1 && pitch % unit) || width > SIZE_MAX / unit)
        return cudaErrorInvalidValue;
    return sim_fill(call, (struct side){sim_pointer(to), pitch, height},
                    (struct box){width * unit, height, 1}, value, unit, stream);
}

/* The calls that fill with elements of 1, 2 and 4 bytes: of one dimension and of two, waiting or
 * not. */
#define FILLS(bits, type)                                                                          \
    CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream)     \
    {                                                                                              \
        return SIM_IN_CONTEXT(fill("cuMemsetD" #bits "Async", to, count * sizeof value, value,     \
                                   sizeof value, count, 1, stream));                               \
    }                                                                                              \
    SIM_PER_THREAD_STREAM(cuMemsetD##bits##Async, _ptsz);                                          \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count)                        \
    {                                                                                              \
        return SIM_IN_CONTEXT(                                                                     \
            fill("cuMemsetD" #bits, to, count * sizeof value, value, sizeof value, count, 1, 0));  \
    }                                                                                              \
    SIM_PER_THREAD_STREAM(cuMemsetD##bits##_v2, _ptds);                                            \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width,      \
                                      size_t height, CUstream stream)                              \
    {                                                                                              \
        return SIM_IN_CONTEXT(fill("cuMemsetD2D" #bits "Async", to, pitch, value, sizeof value,    \
                                   width, height, stream));                                        \
    }                                                                                              \
    SIM_PER_THREAD_STREAM(cuMemsetD2D##bits##Async, _ptsz);                                        \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width,        \
                                    size_t height)                                                 \
    {                                                                                              \
        return SIM_IN_CONTEXT(                                                                     \
            fill("cuMemsetD2D" #bits, to, pitch, value, sizeof value, width, height, 0));          \
    }                                                                                              \
    SIM_PER_THREAD_STREAM(cuMemsetD2D##bits##_v2, _ptds)

FILLS(8, unsigned char);
FILLS(16, unsigned short);
FILLS(32, unsigned);
