/**
 * @file widest.h
 * @brief Family widest: all-pairs widest paths, in single precision.
 */
#ifndef LAB_WIDEST_PROBLEM_H
#define LAB_WIDEST_PROBLEM_H

#include "step.h"

/**
 * @brief d[i][j] = greatest width of a path from vertex i to vertex j, which is as wide as its
 * narrowest arc.
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element; matrices are row-major, without gaps between rows.
 */
struct lab_widest {
    int n;           /**< vertices, from 1 to LAB_SIZE_MAX */
    const float *w;  /**< (n, n), widths of the arcs; 0 where there is none, +infinity for i = j */
    float *d;        /**< (n, n), the greatest widths */
    void *workspace; /**< as many bytes as the variant's workspace function says, else NULL */
};

LAB_FAMILY(widest, struct lab_widest);

#endif
