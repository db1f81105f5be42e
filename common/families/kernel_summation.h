/**
 * @file kernel_summation.h
 * @brief Family kernel_summation: v[i] = sum over j of exp(-|a_i - b_j|^2 / (2 h^2)) w[j].
 */
#ifndef LAB_KERNEL_SUMMATION_PROBLEM_H
#define LAB_KERNEL_SUMMATION_PROBLEM_H

#include "library.h"
#include "step.h"

#include <float.h>
#include <math.h>

/**
 * @brief v[i] = sum over j of exp(-|a_i - b_j|^2 / (2 h^2)) w[j].
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element; points lie one after another, without gaps. v holds NaN and must not be read before it
 * is written. Weights may be zero or negative. A variant whose flags have LAB_ADDS_ATOMICALLY is
 * also run with `deterministic`, and its workspace function may look at it.
 */
struct lab_kernel_summation {
    int m, n, k;       /**< sources, targets, dimensions; each from 1 to LAB_SIZE_MAX */
    float h;           /**< bandwidth, finite and above 0; h * h may leave the range of a float */
    int deterministic; /**< not 0: v has the same bits in every run, so no atomic adds of floats */
    const float *a;    /**< (m, k), the sources */
    const float *b;    /**< (n, k), the targets */
    const float *w;    /**< (n), the weights */
    float *v;          /**< (m) */
    void *workspace;   /**< as many bytes as the variant's workspace function says, else NULL */
    const struct lab_library *library;
};

/** -1 / (2 h^2), kept finite: 0 times infinity would be NaN where two points coincide. */
__attribute__((unused)) static inline float lab_exponent_factor(float h)
{
    const double factor = -0.5 / ((double)h * h);
    return factor < -FLT_MAX ? -FLT_MAX : (float)factor;
}

LAB_FAMILY(kernel_summation, struct lab_kernel_summation);

#endif
