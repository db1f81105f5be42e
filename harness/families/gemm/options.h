/**
 * @file options.h
 * @brief What the command line may say of a matrix product, besides its sizes.
 */
#ifndef LAB_GEMM_OPTIONS_H
#define LAB_GEMM_OPTIONS_H

#include "options/family.h"

/** What the inputs look like. */
enum gemm_values {
    GEMM_VALUES_PLAIN,   /**< magnitudes from 1/2 to 1 */
    GEMM_VALUES_SPREAD,  /**< each row of A and column of B scaled by a power of two, 2^-20 to 2^20
                          */
    GEMM_VALUES_SPECIAL, /**< here and there an infinity or a NaN */
};

/** Options of the families of this folder. */
struct gemm_options {
    float alpha, beta;
    enum gemm_values values;
};

extern const struct lab_family_options lab_gemm_options, lab_gemm_tn_options;

#endif
