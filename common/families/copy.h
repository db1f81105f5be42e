/**
 * @file copy.h
 * @brief Family copy: to[i] = from[i].
 */
#ifndef LAB_COPY_PROBLEM_H
#define LAB_COPY_PROBLEM_H

#include "step.h"

/**
 * @brief to[i] = from[i].
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element. `to` holds NaN and must not be read.
 */
struct lab_copy {
    int n;             /**< elements, from 1 to LAB_SIZE_MAX */
    const float *from; /**< (n) */
    float *to;         /**< (n) */
    void *workspace;   /**< as many bytes as the variant's workspace function says, else NULL */
};

LAB_FAMILY(copy, struct lab_copy);

#endif
