/**
 * @file gemm.h
 * @brief Families gemm, gemm_tn and gemm_nt: C = alpha op(A) op(B) + beta C, row-major.
 */
#ifndef LAB_GEMM_PROBLEM_H
#define LAB_GEMM_PROBLEM_H

#include "step.h"

/** Types of the elements. */
enum lab_gemm_type {
    LAB_GEMM_F32, /**< float */
    LAB_GEMM_F64, /**< double */
};

/** Flags of a variant. A variant with any of them heeds row_a, row_b and row_c. */
enum lab_gemm_variant_flags {
    LAB_GEMM_NN = LAB_OWN_FLAG,      /**< neither is transposed; variants without flags do this */
    LAB_GEMM_NT = LAB_OWN_FLAG << 1, /**< B is transposed */
    LAB_GEMM_TN = LAB_OWN_FLAG << 2, /**< A is transposed */
    LAB_GEMM_TT = LAB_OWN_FLAG << 3, /**< both are transposed */
    LAB_GEMM_DOUBLES = LAB_OWN_FLAG << 4, /**< does LAB_GEMM_F64, else LAB_GEMM_F32 */
    LAB_GEMM_ALL = LAB_GEMM_NN | LAB_GEMM_NT | LAB_GEMM_TN | LAB_GEMM_TT,
};

/**
 * @brief C = alpha op(A) op(B) + beta C.
 *
 * op(A) is m x k, op(B) is k x n, C is m x n. All pointers are device pointers that the harness
 * owns, aligned to 256 bytes at their first element. When beta is 0, C holds NaN and must not be
 * read. A variant of family gemm without flags is given floats that are not transposed, in rows
 * without gaps; gemm_tn is the same with A transposed. gemm_nt has B transposed, and its variants
 * heed row_a, row_b and row_c. The gaps of A and B must not be read. The gaps of C must not be
 * written.
 */
struct lab_gemm {
    int m, n, k;                   /**< sizes, each from 1 to LAB_SIZE_MAX */
    float alpha, beta;             /**< scalars */
    const float *a;                /**< (m, k), or (k, m) when A is transposed */
    const float *b;                /**< (k, n), or (n, k) when B is transposed */
    float *c;                      /**< (m, n) */
    void *workspace;               /**< as many bytes as the variant's workspace function says */
    int a_is_transposed;           /**< not 0: op(A) = A', and `a` is A as it is stored */
    int b_is_transposed;           /**< likewise for B */
    long long row_a, row_b, row_c; /**< elements from one stored row to the next */
    enum lab_gemm_type type;       /**< LAB_GEMM_F32: a, b, c, alpha and beta count */
    const double *a_double, *b_double; /**< with LAB_GEMM_F64 these count; else NULL */
    double *c_double;
    double alpha_double, beta_double;
};

LAB_FAMILY(gemm, struct lab_gemm);
LAB_FAMILY(gemm_tn, struct lab_gemm);
LAB_FAMILY(gemm_nt, struct lab_gemm);

#endif
