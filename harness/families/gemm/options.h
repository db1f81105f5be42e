/**
 * @file options.h
 * @brief What the command line may say of a matrix product, besides its sizes.
 */
#ifndef LAB_GEMM_OPTIONS_H
#define LAB_GEMM_OPTIONS_H

#include "families/gemm.h"
#include "options/family.h"

#include <stdbool.h>

/** What the inputs look like. */
enum gemm_values {
    GEMM_VALUES_PLAIN,   /**< magnitudes from 1/2 to 1 */
    GEMM_VALUES_SPREAD,  /**< each row of A and column of B scaled by a power of two, 2^-20 to 2^20
                          */
    GEMM_VALUES_SPECIAL, /**< here and there an infinity or a NaN */
};

/** Which of A and B are stored transposed: bit 2 means A, bit 1 means B. */
enum gemm_trans { GEMM_NN, GEMM_NT, GEMM_TN, GEMM_TT };

/** Options of the families of this folder. */
struct gemm_options {
    float alpha, beta;
    enum gemm_values values;
    enum gemm_trans trans;
    enum lab_gemm_type type;
    long long row_a, row_b, row_c; /**< leading dimensions; 0: no gaps */
    int lot;                       /**< for the study: problems with sizes drawn by lot; 0: cubes */
};

/** True when a product is asked for that variants of the plain product do not solve. */
bool gemm_is_general(const struct gemm_options *gemm);

extern const struct lab_family_options lab_gemm_options, lab_gemm_tn_options, lab_gemm_nt_options;

#endif
