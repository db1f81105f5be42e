/* Copies to, from and between CUDA arrays, and copies of boxes of three dimensions, whose sides may
 * be arrays. */
#include "array.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* The side of a copy that begins at byte x of a row of an array. A box of rows must be in it. */
static cudaError_t side_in(cudaArray_const_t array, size_t x, size_t y, size_t z,
                           const struct box *box, struct side *side)
{
    const struct cudaArray *const found = sim_array_find(array);
    if (!found)
        return cudaErrorInvalidResourceHandle;
    if (x > found->pitch || box->width > found->pitch - x || y > found->rows ||
        box->rows > found->rows - y || z > found->slices || box->slices > found->slices - z)
        return cudaErrorInvalidValue;
    const size_t offset = (z * found->rows + y) * found->pitch + x;
    *side = (struct side){(const char *)found->address + offset, found->pitch, found->rows};
    return cudaSuccess;
}

/* The side of a copy that goes on in the next row where one ends. */
static cudaError_t run_in(cudaArray_const_t array, size_t x, size_t y, size_t count,
                          struct side *side)
{
    const cudaError_t status = side_in(array, x, y, 0, &(struct box){0, 0, 1}, side);
    if (status)
        return status;
    const struct cudaArray *const found = array;
    if (count > (found->rows - y) * found->pitch - x)
        return cudaErrorInvalidValue;
    side->pitch = count;
    return cudaSuccess;
}

/* Each call finds its sides under the lock, and copies. A side that is no array is given whole. */
struct end {
    cudaArray_const_t array; /* or NULL, and `side` */
    size_t x, y;
    struct side side;
};

static struct end plain(const void *pointer, size_t pitch, size_t rows)
{
    return (struct end){NULL, 0, 0, {pointer, pitch, rows}};
}

static cudaError_t resolve(struct end *end, const struct box *box, bool is_run)
{
    if (!end->array)
        return end->side.pointer ? cudaSuccess : cudaErrorInvalidValue;
    return is_run ? run_in(end->array, end->x, end->y, box->width, &end->side)
                  : side_in(end->array, end->x, end->y, 0, box, &end->side);
}

/* `waits`: the call takes no stream. */
static cudaError_t copy(const char *call, struct end to, struct end from, struct box box,
                        bool is_run, enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    cudaError_t status = sim_enter();
    if (!status)
        status = resolve(&to, &box, is_run);
    if (!status)
        status = resolve(&from, &box, is_run);
    if (!status)
        status = sim_copy(call, to.side, from.side, box, kind, stream);
    if (!status && waits)
        status = sim_copied(status, to.side.pointer, from.side.pointer);
    return sim_leave_call(status, call);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t rows, enum cudaMemcpyKind kind)
{
    return copy(__func__, (struct end){.array = to, .x = x, .y = y}, plain(from, pitch, rows),
                (struct box){width, rows, 1}, false, kind, 0, true);
}
SIM_PER_THREAD_STREAM(cudaMemcpy2DToArray, _ptds);

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t rows,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(__func__, (struct end){.array = to, .x = x, .y = y}, plain(from, pitch, rows),
                (struct box){width, rows, 1}, false, kind, stream, false);
}
SIM_PER_THREAD_STREAM(cudaMemcpy2DToArrayAsync, _ptsz);

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t rows, enum cudaMemcpyKind kind)
{
    return copy(__func__, plain(to, pitch, rows), (struct end){.array = from, .x = x, .y = y},
                (struct box){width, rows, 1}, false, kind, 0, true);
}
SIM_PER_THREAD_STREAM(cudaMemcpy2DFromArray, _ptds);

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t rows,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(__func__, plain(to, pitch, rows), (struct end){.array = from, .x = x, .y = y},
                (struct box){width, rows, 1}, false, kind, stream, false);
}
SIM_PER_THREAD_STREAM(cudaMemcpy2DFromArrayAsync, _ptsz);

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t rows, enum cudaMemcpyKind kind)
{
    return copy(__func__, (struct end){.array = to, .x = to_x, .y = to_y},
                (struct end){.array = from, .x = from_x, .y = from_y}, (struct box){width, rows, 1},
                false, kind, 0, true);
}
SIM_PER_THREAD_STREAM(cudaMemcpy2DArrayToArray, _ptds);

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                              enum cudaMemcpyKind kind)
{
    return copy(__func__, (struct end){.array = to, .x = x, .y = y}, plain(from, count, 1),
                (struct box){count, 1, 1}, true, kind, 0, true);
}
SIM_PER_THREAD_STREAM(cudaMemcpyToArray, _ptds);

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(__func__, (struct end){.array = to, .x = x, .y = y}, plain(from, count, 1),
                (struct box){count, 1, 1}, true, kind, stream, false);
}
SIM_PER_THREAD_STREAM(cudaMemcpyToArrayAsync, _ptsz);

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    return copy(__func__, plain(to, count, 1), (struct end){.array = from, .x = x, .y = y},
                (struct box){count, 1, 1}, true, kind, 0, true);
}
SIM_PER_THREAD_STREAM(cudaMemcpyFromArray, _ptds);

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(__func__, plain(to, count, 1), (struct end){.array = from, .x = x, .y = y},
                (struct box){count, 1, 1}, true, kind, stream, false);
}
SIM_PER_THREAD_STREAM(cudaMemcpyFromArrayAsync, _ptsz);

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t count,
                                   enum cudaMemcpyKind kind)
{
    return copy(__func__, (struct end){.array = to, .x = to_x, .y = to_y},
                (struct end){.array = from, .x = from_x, .y = from_y}, (struct box){count, 1, 1},
                true, kind, 0, true);
}
SIM_PER_THREAD_STREAM(cudaMemcpyArrayToArray, _ptds);

/* ---- Three dimensions ---- */

/* A position in an array counts texels, and one in other memory bytes. */
static cudaError_t side_of(cudaArray_t array, const struct cudaPitchedPtr *pitched,
                           const struct cudaPos *position, const struct box *box, struct side *side)
{
    if (array && pitched->ptr)
        return cudaErrorInvalidValue;
    if (array)
        return side_in(array, position->x * array->texel, position->y, position->z, box, side);
    const size_t offset =
        (position->z * pitched->ysize + position->y) * pitched->pitch + position->x;
    *side = (struct side){(const char *)pitched->ptr + offset, pitched->pitch, pitched->ysize};
    return cudaSuccess;
}

/* If a side is an array, the width counts texels. */
static cudaError_t sides_of(const struct cudaMemcpy3DParms *parameters, struct box *box,
                            struct side *to, struct side *from)
{
    const struct cudaArray *const target = sim_array_find(parameters->dstArray),
                                  *const source = sim_array_find(parameters->srcArray);
    const struct cudaExtent *const extent = &parameters->extent;
    if ((parameters->dstArray && !target) || (parameters->srcArray && !source))
        return cudaErrorInvalidResourceHandle;
    const size_t texel = target ? target->texel : source ? source->texel : 1;
    if ((target && source && target->texel != source->texel) || extent->width > SIZE_MAX / texel)
        return cudaErrorInvalidValue;
    *box = (struct box){extent->width * texel, extent->height, extent->depth};
    const cudaError_t status =
        side_of(parameters->dstArray, &parameters->dstPtr, &parameters->dstPos, box, to);
    return status
               ? status
               : side_of(parameters->srcArray, &parameters->srcPtr, &parameters->srcPos, box, from);
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream,
                           bool waits)
{
    struct box box;
    struct side to, from;
    cudaError_t status = sim_enter();
    if (!status)
        status = parameters ? sides_of(parameters, &box, &to, &from) : cudaErrorInvalidValue;
    if (!status)
        status = sim_copy("cudaMemcpy3D", to, from, box, parameters->kind, stream);
    if (!status && waits)
        status = sim_copied(status, to.pointer, from.pointer);
    return sim_leave_call(status, "cudaMemcpy3D");
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
    return copy_3d(parameters, stream, false);
}
SIM_PER_THREAD_STREAM(cudaMemcpy3DAsync, _ptsz);

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
    return copy_3d(parameters, 0, true);
}
SIM_PER_THREAD_STREAM(cudaMemcpy3D, _ptds);
