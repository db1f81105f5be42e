/**
 * @file explain.h
 * @brief What a wrong sum of floats comes from.
 */
#ifndef LAB_REDUCTION_EXPLAIN_H
#define LAB_REDUCTION_EXPLAIN_H

#include "diagnose/hypothesis.h"

/** Says which of the n elements are left out, or counted too often, by a grid that fills the SMs;
 * false: nothing that is tried explains the sum. */
bool reduction_explain(const float *x, size_t n, int sms, double expected, double got,
                       double tolerance, char *text, size_t size);

#endif
