/**
 * @file threads.h
 * @brief Which elements the threads of a grid take, in one dimension, if their index is not the one
 * that numbers them all: a coordinate is left out, or exchanged, or the loop's step is another.
 */
#ifndef LAB_DIAGNOSE_THREADS_H
#define LAB_DIAGNOSE_THREADS_H

#include <stdbool.h>
#include <stddef.h>

/** The only launch, of one dimension. All zero: not known. */
struct lab_grid {
    unsigned blocks, threads; /**< threads: of a block */
    unsigned tiles, x, y;     /**< for blocks of two dimensions: their number, and their extents */
};

/** Whether an output is what it is if element i is taken times[i] times. */
typedef bool lab_taken_fn(const void *context, const unsigned *times);

/** Says in words after "as if " which elements the threads take; no more than two indices may
 * explain the output, or false. *hint: what is to be mended, or NULL if there are two. */
bool lab_threads_say(struct lab_grid grid, size_t n, lab_taken_fn *is_so, const void *context,
                     char *text, size_t size, const char **hint);

/** Says of a launch with a thread for each element of a matrix, in blocks of two dimensions of
 * which the first are beside each other, which index leaves just those elements out that nobody
 * wrote. `is_turned`: the threads' rows are the columns.
 * @return how many indices do; `text` is of the last. */
int lab_threads_say_tiles(struct lab_grid grid, size_t rows, size_t columns, bool is_turned,
                          lab_taken_fn *is_so, const void *context, char *text, size_t size);

#endif
