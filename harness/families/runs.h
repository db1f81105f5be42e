/**
 * @file runs.h
 * @brief What a launch left in an array, copied to the host in pieces and looked at row by row.
 */
#ifndef LAB_RUNS_H
#define LAB_RUNS_H

#include "diagnose/hypothesis.h"
#include "families/problem.h"

/** Neighbours in a row. Either all of them count, or none does. Callers set the members before
 * `first`; the rest is 0. */
struct lab_run {
    const struct lab_problem *problem;
    int which;
    const void *data; /**< on the device; the array itself, or another place of its shape */
    size_t first, count;
    size_t row, column; /**< of the first element; with one dimension row 0 */
    bool counts;
    char *got;                  /**< on the host, in staging memory */
    cudaError_t status;         /**< of the copies */
    size_t piece, behind_piece; /**< elements that are on the host */
    bool has_before;
};

/** Goes on to the next run; false after the last one, or if copying failed. */
bool lab_run_next(struct lab_run *run);

/** The run's elements as they were before the launch. */
char *lab_run_before(struct lab_run *run);

/** Whether an element has changed since then; `changed` is the first such element. */
bool lab_run_is_changed(struct lab_run *run, size_t *changed);

/** The first of the run's elements whose bits differ from `other`; if none does, the count. */
size_t lab_run_difference(const struct lab_run *run, const char *other);

/** Writes what is expected of elements `first` .. `first + count - 1` of the output. */
typedef void lab_exact_expect_fn(const struct lab_problem *problem, float *expected, size_t first,
                                 size_t count);

/** Compares every element of array `output`, which holds floats that are never rounded, with what
 * is expected. */
cudaError_t lab_exact_check(struct lab_problem *problem, int output, lab_exact_expect_fn *expect,
                            const struct lab_advice *advice, struct lab_check *check);

#endif
