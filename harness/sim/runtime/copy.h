/**
 * @file copy.h
 * @brief A copy of a box of bytes, for the calls that copy (copy.c, array_copy.c).
 */
#ifndef SIM_RUNTIME_COPY_H
#define SIM_RUNTIME_COPY_H

#include "runtime.h"

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
