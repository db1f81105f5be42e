/* Allocating, freeing and describing memory. */
#include "graph.h"
#include "order.h"
#include "runtime.h"

#define POISONED_BYTES ((size_t)256 << 20)

enum { PITCH_UNIT = 512 }; /* rows of a pitched allocation start at multiples of this */

/* As on a GPU, an allocation of 0 bytes gives a null pointer. */
static cudaError_t allocate(void **pointer, size_t size, enum sim_memory_kind kind)
{
    if (!pointer)
        return cudaErrorInvalidValue;
    uint64_t address = size ? sim_memory_allocate(size, kind, NULL) : 0;
    if (size && !address)
        return cudaErrorMemoryAllocation;
    /* To mark a larger allocation would touch all its pages, so its words count as written. */
    if (kind == SIM_MEMORY_DEVICE && size && size <= POISONED_BYTES)
        sim_memory_mark_unwritten(address, size);
    *pointer = (void *)address;
    return cudaSuccess;
}

static cudaError_t release(void *pointer, bool host)
{
    if (!pointer)
        return cudaSuccess;
    const struct sim_allocation *found = sim_memory_find((uint64_t)pointer);
    if (!found || found->address != (uint64_t)pointer || !sim_memory_reserved(found->address) ||
        found->kind == SIM_MEMORY_SYMBOL || found->kind == SIM_MEMORY_MAPPED ||
        (found->kind == SIM_MEMORY_HOST) != host)
        return cudaErrorInvalidValue;
    if (!sim_graph_memory_release(pointer))
        sim_memory_free(found->address);
    return cudaSuccess;
}

static cudaError_t allocate_checked(const char *call, void **pointer, size_t size,
                                    enum sim_memory_kind kind)
{
    cudaError_t status = sim_enter();
    if (!status)
        status = sim_capture_forbids(false);
    return sim_leave_call(status ? status : allocate(pointer, size, kind), call);
}

static cudaError_t release_checked(const char *call, void *pointer, bool host)
{
    cudaError_t status = sim_enter();
    if (!status)
        status = sim_capture_forbids(false);
    sim_order_host_waits_for_all(); /* as a GPU does before it frees anything */
    return sim_leave_call(status ? status : release(pointer, host), call);
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    return allocate_checked(__func__, pointer, size, SIM_MEMORY_DEVICE);
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return allocate_checked(__func__, pointer, size, SIM_MEMORY_HOST);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags)
{
    if (flags &
        ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) {
        sim_enter_always();
        return sim_leave(cudaErrorInvalidValue);
    }
    return allocate_checked(__func__, pointer, size, SIM_MEMORY_HOST);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
        sim_enter_always();
        return sim_leave(cudaErrorInvalidValue);
    }
    return allocate_checked(__func__, pointer, size, SIM_MEMORY_MANAGED);
}

static bool is_captured(cudaStream_t stream)
{
    return sim_stream_captured(stream) && sim_stream_captured(stream)->graph;
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    cudaError_t status = sim_enter();
    if (!status && !sim_stream_valid(stream))
        status = cudaErrorInvalidResourceHandle;
    if (!status && is_captured(stream))
        return sim_leave(sim_graph_allocate(pointer, size, stream));
    return sim_leave(status ? status : allocate(pointer, size, SIM_MEMORY_DEVICE));
}
SIM_PER_THREAD_STREAM(cudaMallocAsync, _ptsz);

static cudaError_t allocate_pitched(void **pointer, size_t *pitch, size_t width, size_t rows)
{
    if (!pointer || !pitch)
        return cudaErrorInvalidValue;
    *pitch = (width + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT;
    if (*pitch < width || (*pitch && rows > SIZE_MAX / *pitch))
        return cudaErrorMemoryAllocation;
    return allocate(pointer, *pitch * rows, SIM_MEMORY_DEVICE);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    cudaError_t status = sim_enter();
    return sim_leave(status ? status : allocate_pitched(pointer, pitch, width, height));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    cudaError_t status = sim_enter();
    size_t rows;
    if (!status && __builtin_mul_overflow(extent.height, extent.depth, &rows))
        status = cudaErrorMemoryAllocation;
    if (!status && !pitched)
        status = cudaErrorInvalidValue;
    if (!status)
        status = allocate_pitched(&pitched->ptr, &pitched->pitch, extent.width, rows);
    if (!status) {
        pitched->xsize = extent.width;
        pitched->ysize = extent.height;
    }
    return sim_leave(status);
}

cudaError_t cudaFree(void *pointer)
{
    return release_checked(__func__, pointer, false);
}

cudaError_t cudaFreeHost(void *pointer)
{
    return release_checked(__func__, pointer, true);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    cudaError_t status = sim_enter();
    if (!status && !sim_stream_valid(stream))
        status = cudaErrorInvalidResourceHandle;
    if (!status && !pointer)
        status = cudaErrorInvalidValue;
    if (!status && is_captured(stream))
        return sim_leave(sim_graph_free(pointer, stream));
    return sim_leave(status ? status : release(pointer, false));
}
SIM_PER_THREAD_STREAM(cudaFreeAsync, _ptsz);

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags)
{
    (void)flags; /* how the memory is mapped makes no difference here */
    cudaError_t status = sim_enter();
    if (!status && (!pointer || !size))
        status = cudaErrorInvalidValue;
    if (!status && !sim_memory_register(pointer, size, SIM_MEMORY_HOST))
        status = cudaErrorHostMemoryAlreadyRegistered;
    return sim_leave(status);
}

cudaError_t cudaHostUnregister(void *pointer)
{
    cudaError_t status = sim_enter();
    if (!status && !pointer)
        status = cudaErrorInvalidValue;
    if (!status && (sim_memory_reserved((uint64_t)pointer) || !sim_memory_free((uint64_t)pointer)))
        status = cudaErrorHostMemoryNotRegistered;
    return sim_leave(status);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    cudaError_t status = sim_enter();
    const struct sim_allocation *found = status ? NULL : sim_memory_find((uint64_t)host);
    if (!status && (!device || flags || !found || found->kind != SIM_MEMORY_HOST))
        status = cudaErrorInvalidValue;
    if (!status)
        *device = host; /* host and device use the same address */
    return sim_leave(status);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    cudaError_t status = sim_enter();
    size_t available, total;
    if (!status && (!free_bytes || !total_bytes))
        status = cudaErrorInvalidValue;
    if (!status) {
        sim_memory_info(&available, &total);
        *free_bytes = available;
        *total_bytes = total;
    }
    return sim_leave(status);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    sim_enter_always();
    if (!attributes)
        return sim_leave(cudaErrorInvalidValue);
    const struct sim_allocation *found = sim_memory_find((uint64_t)pointer);
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                                 .device = cudaInvalidDeviceId};
    if (!found) {
        attributes->hostPointer = (void *)pointer;
        return sim_leave(cudaSuccess);
    }
    bool host = found->kind == SIM_MEMORY_HOST || found->kind == SIM_MEMORY_MANAGED;
    attributes->device = 0;
    attributes->devicePointer = (void *)pointer;
    attributes->hostPointer = host ? (void *)pointer : NULL;
    attributes->type = found->kind == SIM_MEMORY_HOST      ? cudaMemoryTypeHost
                       : found->kind == SIM_MEMORY_MANAGED ? cudaMemoryTypeManaged
                                                           : cudaMemoryTypeDevice;
    return sim_leave(cudaSuccess);
}

/* ---- hints: checked, and otherwise without effect ---------------------------------------------
 */

static cudaError_t check_managed(const void *pointer, size_t count)
{
    const struct sim_allocation *found = sim_memory_find((uint64_t)pointer);
    bool inside = count && sim_memory_host((uint64_t)pointer, count);
    return inside && found->kind == SIM_MEMORY_MANAGED ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
{
    (void)location;
    cudaError_t status = sim_enter();
    if (!status && !sim_stream_valid(stream))
        status = cudaErrorInvalidResourceHandle;
    if (!status && flags)
        status = cudaErrorInvalidValue;
    return sim_leave(status ? status : check_managed(pointer, count));
}
SIM_PER_THREAD_STREAM(cudaMemPrefetchAsync, _ptsz);

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    (void)advice, (void)location;
    cudaError_t status = sim_enter();
    return sim_leave(status ? status : check_managed(pointer, count));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length,
                                     unsigned flags)
{
    (void)length, (void)flags;
    cudaError_t status = sim_enter();
    if (!status && !sim_stream_valid(stream))
        status = cudaErrorInvalidResourceHandle;
    return sim_leave(status ? status : check_managed(pointer, 1));
}
SIM_PER_THREAD_STREAM(cudaStreamAttachMemAsync, _ptsz);
