/**
 * @file compare.h
 * @brief Comparing a matrix with its reference, element by element.
 */
#ifndef LAB_COMPARE_H
#define LAB_COMPARE_H

#include "families/findings.h"
#include "families/problem.h"

#include <stddef.h>

/** Running result over a row-major matrix that is compared in pieces. All zero at the start, except
 * for the members before `at`. */
struct lab_comparison {
    size_t rows, columns;
    bool is_one;              /**< a single value: messages give no index */
    bool is_vector;           /**< has one row: messages name an element by its column alone */
    enum lab_element element; /**< floats or doubles */
    double tolerance;
    struct lab_advice advice;
    size_t at;                    /**< the next element; elements that do not count are skipped */
    size_t seen;                  /**< elements compared so far */
    struct lab_findings findings; /**< the elements that are not within the tolerance */
    double max_error;             /**< over errors that are numbers */
};

/**
 * @brief Compares the next `count` elements.
 *
 * An element is right when |got - expected| <= tolerance, written so that NaN fails. An expected
 * infinity or NaN must be exactly that. Bits that are all ones are the poison that outputs are
 * filled with.
 */
void lab_compare(struct lab_comparison *comparison, const void *expected, const void *got,
                 size_t count);

/** Turns the finished comparison of matrix `name` into a verdict with a message. */
void lab_compare_verdict(const struct lab_comparison *comparison, const char *name,
                         struct lab_check *check);

/** Writes what is expected of elements `first` .. `first + count - 1` of the output. */
typedef void lab_exact_expect_fn(const struct lab_problem *problem, float *expected, size_t first,
                                 size_t count);

/** Compares every element of array `output`, which holds floats that are never rounded, with what
 * is expected. */
cudaError_t lab_exact_check(struct lab_problem *problem, int output, lab_exact_expect_fn *expect,
                            const struct lab_advice *advice, struct lab_check *check);

#endif
