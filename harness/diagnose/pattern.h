/**
 * @file pattern.h
 * @brief What the wrong elements of a matrix have in common: their places tell the cause.
 */
#ifndef LAB_PATTERN_H
#define LAB_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

enum { LAB_PATTERN_PERIOD = 128, LAB_PATTERN_TILES = 6, LAB_PATTERN_CELLS = 64 };

/** Threads of the largest block. */
enum { LAB_PATTERN_BLOCK = 1024 };

/** Wrong elements along one side of a matrix: by row, or by column. */
struct lab_pattern_side {
    size_t first, last;
    size_t residues[LAB_PATTERN_PERIOD]; /**< by remainder modulo the period */
    size_t at_edge[LAB_PATTERN_TILES];   /**< in the last, partial tile of 8, 16, ... 256 */
};

/** Wrong elements of a row-major matrix. All zero at the start but for the first three
 * members. */
struct lab_pattern {
    size_t rows, columns; /**< a vector has one row; 0: where an element is tells nothing */
    const char *what;     /**< what its family calls a column, or element of a vector; or NULL */
    size_t wrong;
    size_t first_place, last_place;   /**< in the order of memory */
    size_t places[LAB_PATTERN_BLOCK]; /**< by remainder of their place modulo the block */
    struct lab_pattern_side row, column;
    size_t in_vectors; /**< in whole vectors of 4, which begin at a multiple of 4 */
    size_t either_edge[LAB_PATTERN_TILES]; /**< at the edge of rows, of columns, or of both */
    size_t on_diagonal, below;             /**< the diagonal */
    size_t on_tiles[LAB_PATTERN_TILES];    /**< in the tiles of 8, 16, ... 256 on the diagonal */
    unsigned cells[LAB_PATTERN_CELLS][LAB_PATTERN_CELLS]; /**< wrong elements of each cell */
    size_t counted;                                       /**< elements that were looked at */
    bool is_permuted;  /**< the wrong ones may hold each other's expected values */
    bool is_unwritten; /**< nobody wrote them */
};

/** The shape of wrong elements, from the one that tells most to the one that tells least. */
enum lab_pattern_kind {
    LAB_PATTERN_ALL,
    LAB_PATTERN_WRAP,     /**< all from where an index of 16 bits ends */
    LAB_PATTERN_EDGE,     /**< only where a tile does not divide the size */
    LAB_PATTERN_ONE,      /**< a single element */
    LAB_PATTERN_PART,     /**< all of a rectangle: rows, columns, a quadrant, a tile */
    LAB_PATTERN_EVERY,    /**< every p-th row or column */
    LAB_PATTERN_DIAGONAL, /**< the diagonal, one side of it, or the tiles on it */
    LAB_PATTERN_MOST,     /**< half of them or more, of no shape */
    LAB_PATTERN_SCATTERED /**< less than that */
};

/** Takes in a wrong element. */
void lab_pattern_note(struct lab_pattern *pattern, size_t row, size_t column);

/** Finds the shape, and says where the wrong elements are and what usually causes it. The last
 * members of the pattern are set by then. `text`: "" where only the family can say more: ALL and
 * MOST. */
enum lab_pattern_kind lab_pattern_say(const struct lab_pattern *pattern, char *text, size_t size);

/* --- which elements the threads of a grid take -------------------------------------------------*/

/* Which elements the threads of a grid take, in one dimension, if their index is not the one
 * that numbers them all: a coordinate is left out, or exchanged, or the loop's step is another. */

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
