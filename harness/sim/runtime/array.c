/* CUDA arrays: what textures and surfaces are mostly made of. */
#include "array.h"

#include "capture.h"
#include "order.h"

#include <stdlib.h>

static struct cudaArray *arrays;

/* One, two or four channels of 8, 16 or 32 bits; floats have at least 16. */
size_t sim_texel_bytes(const struct cudaChannelFormatDesc *format)
{
    const int bits[] = {format->x, format->y, format->z, format->w};
    int count = 1;
    while (count < 4 && bits[count] == format->x)
        count++;
    for (int i = count; i < 4; i++)
        if (bits[i] != 0)
            return 0;
    const bool is_size = format->x == 8 || format->x == 16 || format->x == 32;
    const bool is_kind = format->f == cudaChannelFormatKindSigned ||
                         format->f == cudaChannelFormatKindUnsigned ||
                         (format->f == cudaChannelFormatKindFloat && format->x > 8);
    return is_size && is_kind && count != 3 ? (size_t)(format->x / 8 * count) : 0;
}

const struct cudaArray *sim_array_find(cudaArray_const_t array)
{
    const struct cudaArray *found = arrays;
    while (found && found != array)
        found = found->next;
    return found;
}

void sim_arrays_reset(void)
{
    while (arrays) {
        struct cudaArray *const first = arrays;
        arrays = first->next;
        free(first);
    }
}

static size_t at_least_one(size_t count)
{
    return count ? count : 1;
}

static cudaError_t allocate(struct cudaArray *array)
{
    const struct cudaExtent *const extent = &array->extent;
    size_t bytes;
    array->texel = sim_texel_bytes(&array->format);
    array->rows = at_least_one(extent->height);
    array->slices = at_least_one(extent->depth);
    if (!array->texel)
        return cudaErrorInvalidChannelDescriptor;
    if (__builtin_mul_overflow(extent->width, array->texel, &array->pitch) ||
        __builtin_mul_overflow(array->pitch, array->rows, &bytes) ||
        __builtin_mul_overflow(bytes, array->slices, &bytes) || extent->width > UINT32_MAX ||
        extent->height > UINT32_MAX || extent->depth > UINT32_MAX)
        return cudaErrorMemoryAllocation;
    array->address = sim_memory_allocate(bytes, SIM_MEMORY_DEVICE, "a CUDA array");
    if (!array->address)
        return cudaErrorMemoryAllocation;
    sim_memory_mark_unwritten(array->address, bytes);
    array->next = arrays;
    arrays = array;
    return cudaSuccess;
}

static cudaError_t make(cudaArray_t *to, const struct cudaChannelFormatDesc *format,
                        struct cudaExtent extent, unsigned flags)
{
    const unsigned known =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayCubemap;
    const bool is_layered = flags & cudaArrayLayered;
    const bool is_cube = flags & cudaArrayCubemap;
    if (!to || !format || !extent.width || (is_layered && !extent.depth) ||
        (!is_layered && extent.depth && !extent.height))
        return cudaErrorInvalidValue;
    if (is_cube && (extent.width != extent.height || !extent.depth ||
                    (is_layered ? extent.depth % SIM_CUBE_FACES : extent.depth - SIM_CUBE_FACES)))
        return cudaErrorInvalidValue;
    if (flags & ~known) {
        sim_runtime_report("an array that is sparse or mapped later is not implemented");
        return cudaErrorNotSupported;
    }
    struct cudaArray *const array = calloc(1, sizeof *array);
    if (!array)
        return cudaErrorMemoryAllocation;
    *array = (struct cudaArray){.format = *format, .extent = extent, .flags = flags};
    const cudaError_t status = allocate(array);
    if (status)
        free(array);
    else
        *to = array;
    return status;
}

static cudaError_t make_checked(const char *call, cudaArray_t *to,
                                const struct cudaChannelFormatDesc *format,
                                struct cudaExtent extent, unsigned flags)
{
    cudaError_t status = sim_enter();
    if (!status)
        status = sim_capture_forbids(false);
    return sim_leave_call(status ? status : make(to, format, extent, flags), call);
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned flags)
{
    return make_checked(__func__, array, format, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags)
{
    return make_checked(__func__, array, format, extent, flags);
}

static cudaError_t release(cudaArray_t array)
{
    struct cudaArray **link = &arrays;
    while (*link && *link != array)
        link = &(*link)->next;
    if (!*link)
        return array ? cudaErrorInvalidResourceHandle : cudaSuccess;
    *link = array->next;
    sim_memory_free(array->address);
    free(array);
    return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t status = sim_enter();
    if (!status)
        status = sim_capture_forbids(false);
    sim_order_host_waits_for_all(); /* as a GPU does before it frees anything */
    return sim_leave(status ? status : release(array));
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array)
{
    cudaError_t status = sim_enter();
    if (!status && !sim_array_find(array))
        status = cudaErrorInvalidResourceHandle;
    if (!status && format)
        *format = array->format;
    if (!status && extent)
        *extent = array->extent;
    if (!status && flags)
        *flags = array->flags;
    return sim_leave(status);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    cudaError_t status = sim_enter();
    if (!status && (!format || !sim_array_find(array)))
        status = format ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    if (!status)
        *format = array->format;
    return sim_leave(status);
}
