/**
 * @file exact.h
 * @brief What families of floats share in which nothing is rounded: an output is right when every
 * element is just what is expected.
 */
#ifndef LAB_EXACT_H
#define LAB_EXACT_H

#include "families/findings.h"
#include "families/problem.h"

/** Writes what is expected of elements `first` .. `first + count - 1` of the output. */
typedef void lab_exact_expect_fn(const struct lab_problem *problem, float *expected, size_t first,
                                 size_t count);

/** Every element of array `output` against what is expected, in pieces. */
cudaError_t lab_exact_check(struct lab_problem *problem, int output, lab_exact_expect_fn *expect,
                            const struct lab_advice *advice, struct lab_check *check);

#endif
