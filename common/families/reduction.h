/**
 * @file reduction.h
 * @brief Family reduction: sum = x[0] + ... + x[n - 1].
 */
#ifndef LAB_REDUCTION_PROBLEM_H
#define LAB_REDUCTION_PROBLEM_H

#include "step.h"

/**
 * @brief sum = x[0] + ... + x[n - 1], added in any order.
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element. `sum` holds NaN and must not be read before it is written.
 */
struct lab_reduction {
    int n;           /**< elements, from 1 to LAB_SIZE_MAX */
    const float *x;  /**< (n) */
    float *sum;      /**< (1) */
    void *workspace; /**< as many bytes as the variant's workspace function says, else NULL */
};

LAB_FAMILY(reduction, struct lab_reduction);

#endif
