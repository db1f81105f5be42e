/**
 * @file change.h
 * @brief Whether an input in device memory is still what it was made.
 */
#ifndef LAB_CHANGE_H
#define LAB_CHANGE_H

#include "families/buffer.h"

struct lab_problem;

/** An input whose elements can be made again. */
struct lab_input {
    const struct lab_buffer *buffer;
    size_t element_bytes;
    /** Writes elements first .. first + count - 1 of input `which` as they were made. */
    void (*fill)(const struct lab_problem *problem, int which, void *values, size_t first,
                 size_t count);
    int which;
    void *staging; /**< of the host, to compare in pieces */
    size_t staging_elements;
};

/** The first element that differs; both pointers NULL: none does. */
struct lab_change {
    size_t element;
    const void *before, *now; /**< in the staging memory */
};

/** Makes the input again, piece by piece, and compares bit by bit. */
cudaError_t lab_find_change(const struct lab_problem *problem, const struct lab_input *input,
                            struct lab_change *change);

#endif
