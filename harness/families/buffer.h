/**
 * @file buffer.h
 * @brief Device memory between guard zones, so that a write past either end is found.
 */
#ifndef LAB_BUFFER_H
#define LAB_BUFFER_H

#include "base/array.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/** Bytes of guard zone before a buffer; there are at least as many after it. */
enum { LAB_GUARD_BYTES = 16384 };

/** One guarded buffer in device memory. All zero means: none. */
struct lab_buffer {
    char *base;       /**< what cudaMalloc gave */
    void *data;       /**< first byte that kernels may touch, aligned to 256 bytes */
    size_t bytes;     /**< bytes that kernels may touch */
    const char *name; /**< for messages; not owned */
};

/** Device bytes that a buffer of `bytes` takes with its guard zones. */
size_t lab_buffer_footprint(size_t bytes);

/** Allocates, writes the guard zones and poisons the rest. */
cudaError_t lab_buffer_create(struct lab_buffer *buffer, size_t bytes, const char *name);

/** Lets messages of the simulator name elements by row and column, if the array has rows. */
void lab_buffer_set_rows(const struct lab_buffer *buffer, const struct lab_array *array);

/** From now on kernels may only read the buffer: the simulator names a line that writes to it. */
void lab_buffer_protect(const struct lab_buffer *buffer);

/** Frees; a buffer that is all zero is allowed. */
void lab_buffer_destroy(struct lab_buffer *buffer);

/** Fills the buffer, not its guard zones, with bytes 0xFF, which are a NaN if the type has one. The
 * fill is in order with `stream`. On the simulator the buffer then counts as unwritten. */
cudaError_t lab_buffer_poison(const struct lab_buffer *buffer, cudaStream_t stream);

/**
 * @brief Looks at both guard zones.
 * @param intact  false when a byte was changed
 * @param offset  then: of the first changed byte, from the start of the data (negative: before)
 */
cudaError_t lab_buffer_check_guards(const struct lab_buffer *buffer, bool *intact,
                                    ptrdiff_t *offset);

#endif
