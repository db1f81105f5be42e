/**
 * @file array.h
 * @brief CUDA arrays. To a program they are opaque: their texels lie in device memory, row by row
 * without gaps, slice by slice or layer by layer.
 */
#ifndef SIM_RUNTIME_ARRAY_H
#define SIM_RUNTIME_ARRAY_H

#include "runtime.h"

/** The slices of a cube map, or of each of its layers. */
enum { SIM_CUBE_FACES = 6 };

/** CUDA's name for it; cudaArray_t points to one. */
struct cudaArray {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /**< as the program gave it: 0 in dimensions that it does not have */
    unsigned flags;
    uint64_t address;
    size_t texel, pitch, rows, slices; /**< bytes, bytes, and counts of 1 or more */
    struct cudaArray *next;
};

/** The array, if it is a live one; else NULL. */
const struct cudaArray *sim_array_find(cudaArray_const_t array);

/** Bytes of a texel; 0: there are no such texels. */
size_t sim_texel_bytes(const struct cudaChannelFormatDesc *format);

/** Forgets all arrays, whose memory has been freed. Part of cudaDeviceReset(). */
void sim_arrays_reset(void);

/* --- copies of boxes of bytes ------------------------------------------------------------------*/

/** One side of a copy. Its rows begin `pitch` bytes apart, its slices `slice_rows` rows apart. */
struct side {
    const void *pointer;
    size_t pitch, slice_rows;
};

/** How much is copied or filled. */
struct box {
    size_t width, rows, slices;
};

/** Copies. Calls that take no stream pass 0, the default stream, which is always valid. */
cudaError_t sim_copy(const char *call, struct side to, struct side from, struct box box,
                     enum cudaMemcpyKind kind, cudaStream_t stream);

/** Fills a box with a value of `unit` bytes (1, 2 or 4). */
cudaError_t sim_fill(const char *call, struct side to, struct box box, uint32_t value, size_t unit,
                     cudaStream_t stream);

/** Ends a copy that takes no stream. The host has waited for the copy, unless both sides are memory
 *  of the device. */
cudaError_t sim_copied(cudaError_t status, const void *to, const void *from);

#endif
