/**
 * @file buffer.h
 * @brief Device memory between guard zones, so that a write past either end is found.
 */
#ifndef LAB_BUFFER_H
#define LAB_BUFFER_H

#include "families/array.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/** Bytes of guard zone before a buffer; after it at least as many. */
enum { LAB_GUARD_BYTES = 16384 };

/** One guarded buffer in device memory. All zero means: none. */
struct lab_buffer {
    char *base;       /**< what cudaMalloc gave */
    void *data;       /**< first byte that kernels may touch, aligned to 256 bytes */
    size_t bytes;     /**< that they may touch */
    const char *name; /**< for messages; not owned */
};

/** Device bytes that a buffer of `bytes` takes with its guard zones. */
size_t lab_buffer_footprint(size_t bytes);

/** Allocates, writes the guard zones and poisons the rest. */
cudaError_t lab_buffer_create(struct lab_buffer *buffer, size_t bytes, const char *name);

/** Messages of the simulator name its elements by row and column, if the array has rows. */
void lab_buffer_set_rows(const struct lab_buffer *buffer, const struct lab_array *array);

/** Kernels may only read it from now on: the simulator names the line that writes. */
void lab_buffer_protect(const struct lab_buffer *buffer);

/** Frees; a buffer that is all zero is allowed. */
void lab_buffer_destroy(struct lab_buffer *buffer);

/** Fills the buffer, not its guard zones, with bytes 0xFF, a NaN where the type has one, in order
 * with `stream`; on the simulator it counts as unwritten. */
cudaError_t lab_buffer_poison(const struct lab_buffer *buffer, cudaStream_t stream);

/**
 * @brief Looks at both guard zones.
 * @param intact  false when a byte was changed
 * @param offset  then: of the first changed byte from the start of the data (negative: before it)
 */
cudaError_t lab_buffer_check_guards(const struct lab_buffer *buffer, bool *intact,
                                    ptrdiff_t *offset);

#endif
