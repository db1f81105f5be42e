/**
 * @file cauchy.h
 * @brief Family cauchy: v[i] = sum over j of w[j] / (1 + |a_i - b_j|^2 / (2 h^2)).
 */
#ifndef LAB_CAUCHY_PROBLEM_H
#define LAB_CAUCHY_PROBLEM_H

#include "families/kernel_summation.h"

/** Pointers, sizes and h as in a kernel summation; only the function of the distance differs. */
LAB_FAMILY(cauchy, struct lab_kernel_summation);

#endif
