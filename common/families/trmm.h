/**
 * @file trmm.h
 * @brief Families trmm and trmm_lower: B = B + tri(A) B in place, in double or in float.
 */
#ifndef LAB_TRMM_PROBLEM_H
#define LAB_TRMM_PROBLEM_H

#include "step.h"

/** Flags of a variant of family trmm. */
enum lab_trmm_variant_flags {
    LAB_TRMM_FLOATS = LAB_OWN_FLAG, /**< takes floats; variants without flags take doubles */
};

/**
 * @brief b[i][j] += sum over k >= i of a[i][k] b[k][j], with the old b on the right; in family
 * trmm_lower over k <= i.
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element; row-major, without gaps. A is upper triangular (lower, in trmm_lower). Elements on the
 * other side of its diagonal may be anything, NaN too, and must not be read. The result takes B's
 * place: there is no second copy of B.
 */
struct lab_trmm {
    int n, m;        /**< rows and columns of B, each from 1 to LAB_SIZE_MAX */
    const double *a; /**< (n, n); only the diagonal and one side of it count */
    double *b;       /**< (n, m) */
    void *workspace; /**< as many bytes as the variant's workspace function says, else NULL; not for
                          copies of B */
    int is_float;    /**< not 0: a_float and b_float count, in place of a and b, which are NULL */
    const float *a_float;
    float *b_float;
};

LAB_FAMILY(trmm, struct lab_trmm);
LAB_FAMILY(trmm_lower, struct lab_trmm);

#endif
