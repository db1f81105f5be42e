/**
 * @file histogram.h
 * @brief Family histogram: counts[b] = how many keys are b.
 */
#ifndef LAB_HISTOGRAM_PROBLEM_H
#define LAB_HISTOGRAM_PROBLEM_H

#include "step.h"

/** Keys are from 0 to LAB_HISTOGRAM_BINS - 1, such as the grey values of an image. */
#define LAB_HISTOGRAM_BINS 256

/**
 * @brief counts[b] = number of keys that are b, for each b from 0 to LAB_HISTOGRAM_BINS - 1.
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element. About half of the keys are 0, as in an image with a dark background. `counts` holds no
 * counts before a launch and must not be read before it is written.
 */
struct lab_histogram {
    int n;           /**< keys, from 1 to LAB_SIZE_MAX */
    const int *keys; /**< (n) */
    int *counts;     /**< (LAB_HISTOGRAM_BINS) */
    void *workspace; /**< as many bytes as the variant's workspace function says, else NULL */
};

LAB_FAMILY(histogram, struct lab_histogram);

#endif
