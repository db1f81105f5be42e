/**
 * @file compare.h
 * @brief Comparing a matrix with its reference, element by element.
 */
#ifndef LAB_COMPARE_H
#define LAB_COMPARE_H

#include "families/check.h"

#include <stddef.h>

/** Running result over a row-major matrix that is compared in pieces. All zero at the start, less
 *  what stands before `seen`. */
struct lab_comparison {
    size_t rows, columns;
    double tolerance;
    const char *of_nans, *of_most; /**< what to look at, of NaN and where most is wrong */
    size_t seen;                   /**< elements compared so far */
    size_t wrong;                  /**< elements that are not within the tolerance, of every kind */
    size_t unwritten, nans;        /**< among them */
    size_t wrong_edge;             /**< among them: in the last, partial 32 rows or columns */
    size_t first;                  /**< index of the first wrong one */
    float expected, got;           /**< there */
    double max_error;              /**< over those that are numbers */
};

/**
 * @brief Compares the next `count` elements.
 *
 * An element is right when |got - expected| <= tolerance, written so that NaN fails; infinities
 * and NaN that are expected must be just that. Bits all ones are the poison that outputs are filled
 * with.
 */
void lab_compare(struct lab_comparison *comparison, const float *expected, const float *got,
                 size_t count);

/** Turns the finished comparison of matrix `name` into a verdict with a message. */
void lab_compare_verdict(const struct lab_comparison *comparison, const char *name,
                         struct lab_check *check);

#endif
