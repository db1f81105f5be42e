/**
 * @file transpose.h
 * @brief Family transpose: b[j][i] = a[i][j].
 */
#ifndef LAB_TRANSPOSE_PROBLEM_H
#define LAB_TRANSPOSE_PROBLEM_H

#include "step.h"

/**
 * @brief b[j][i] = a[i][j].
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element; matrices are row-major, without gaps between rows. b holds NaN and must not be read.
 */
struct lab_transpose {
    int m, n;        /**< rows and columns of A, each from 1 to LAB_SIZE_MAX */
    const float *a;  /**< (m, n) */
    float *b;        /**< (n, m) */
    void *workspace; /**< as many bytes as the variant's workspace function says, else NULL */
};

LAB_FAMILY(transpose, struct lab_transpose);

#endif
