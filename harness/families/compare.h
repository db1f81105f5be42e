/**
 * @file compare.h
 * @brief Comparing a matrix with its reference, element by element.
 */
#ifndef LAB_COMPARE_H
#define LAB_COMPARE_H

#include "families/findings.h"

#include <stddef.h>

/** Running result over a row-major matrix that is compared in pieces. All zero at the start, less
 *  what stands before `seen`. */
struct lab_comparison {
    size_t rows, columns;
    bool is_one;    /**< a single value: messages give no index */
    bool is_vector; /**< of one row: messages name an element by its column alone */
    double tolerance;
    struct lab_advice advice;
    bool are_doubles;             /**< set by lab_compare_doubles */
    size_t seen;                  /**< elements compared so far */
    struct lab_findings findings; /**< those that are not within the tolerance */
    double max_error;             /**< over those that are numbers */
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

/** The same of doubles. */
void lab_compare_doubles(struct lab_comparison *comparison, const double *expected,
                         const double *got, size_t count);

/** Turns the finished comparison of matrix `name` into a verdict with a message. */
void lab_compare_verdict(const struct lab_comparison *comparison, const char *name,
                         struct lab_check *check);

#endif
