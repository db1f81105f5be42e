/**
 * @file syr2k.h
 * @brief Family syr2k: the upper triangle of C = (B A' + A B') / 2, in double or in float.
 */
#ifndef LAB_SYR2K_PROBLEM_H
#define LAB_SYR2K_PROBLEM_H

#include "step.h"

/** Flags of a variant. */
enum lab_syr2k_variant_flags {
    LAB_SYR2K_FLOATS = LAB_OWN_FLAG, /**< takes floats; variants without flags take doubles */
};

/**
 * @brief For l >= k,
 * c[k][l] = sum over i, j of (a[l][i][j] b[k][i][j] + a[k][i][j] b[l][i][j]) / 2.
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element; row-major, without gaps. A and B are n x p x q: n rows of p q neighbours. C's upper
 * triangle holds NaN and must not be read before it is written. What is below the diagonal must not
 * be touched.
 */
struct lab_syr2k {
    int n, p, q;     /**< each from 1 on; p times q is at most LAB_SIZE_MAX */
    const double *a; /**< (n, p, q) */
    const double *b; /**< (n, p, q) */
    double *c;       /**< (n, n); only the diagonal and what is above it count */
    void *workspace; /**< as many bytes as the variant's workspace function says, else NULL */
    int is_float;    /**< not 0: a_float, b_float and c_float count, in place of a, b and c, which
                          are NULL */
    const float *a_float, *b_float;
    float *c_float;
};

LAB_FAMILY(syr2k, struct lab_syr2k);

#endif
