/**
 * @file shapes.h
 * @brief The shapes of the study of step 05, and what can be said of them before anything runs.
 */
#ifndef LAB_FAMILIES_GEMM_STUDY_SHAPES_H
#define LAB_FAMILIES_GEMM_STUDY_SHAPES_H

#include <stdbool.h>

/** A shape: how many threads make a block, and how many values of C each computes. */
struct gemm_shape {
    int width, height; /**< of the block, in threads */
    int values;        /**< per thread, a square */
    int side;          /**< of that square */
    int inner;         /**< length of a panel: the k that are in shared memory at a time */
};

/** The panel of most shapes. */
enum { GEMM_SHAPE_INNER = 16 };

/** The blocks in the order of the study, width and height, up to one of width 0. */
extern const struct gemm_shape gemm_study_blocks[];

/** The numbers of values in the order of the study, up to a 0. */
extern const int gemm_study_values[];

/** Reads a row's name, "b16x8_v4" or "b16x16_v64_k32"; false: the row has no shape. */
bool gemm_shape_of(const char *row, struct gemm_shape *shape);

/** Writes the name of a shape's row. */
void gemm_shape_name(const struct gemm_shape *shape, char *name, int size);

/** Load instructions of warps that a product takes. */
struct gemm_loads {
    double global, shared;
};

/**
 * @brief Predicts them: (1 / (width side) + 1 / (height side)) m n k / 32 from global memory and
 * (1 + 1/4) / side m n k / 32 from shared memory, where m and n are rounded up to whole blocks and
 * k to whole panels.
 *
 * A block loads each element of its two tiles once a panel, 32 elements with one instruction. For
 * each k a thread reads `side` elements of B, one by one, and `side` elements of A, of which one
 * instruction reads four neighbouring k.
 */
struct gemm_loads gemm_predict_loads(const struct gemm_shape *shape, int m, int n, int k);

#endif
