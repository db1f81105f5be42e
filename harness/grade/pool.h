/**
 * @file pool.h
 * @brief All submissions through a few workers. Submissions that an earlier, interrupted run has
 * judged are not judged again. Whatever a submission breaks affects only itself.
 */
#ifndef LAB_POOL_H
#define LAB_POOL_H

#include "grade/claims.h"
#include "grade/judge.h"

#include <stdatomic.h>

/** A run over submissions. */
struct lab_pool {
    const struct lab_judge *judge;
    const struct lab_submissions *submissions;
    const char *state; /**< folder of kept outcomes */
    int workers;
    bool again;                /**< judges again what has a kept outcome */
    atomic_int *done;          /**< submissions done, for another process to show */
    struct lab_claims *claims; /**< beside other graders, or NULL */
};

/**
 * @brief Grades the exercise's solution like a submission, but without timing, because no student
 * can pass what the solution fails. Mistakes of an instructor, and what this machine lacks, show
 * here.
 * @param outcome  receives the solution's outcome
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining
 */
int lab_pool_try_solution(const struct lab_pool *pool, struct lab_outcome *outcome);

/** Grades the file as it is given to students in the same way, when the judge has the solution's
 *  outcome. What it passes gives no points by itself. */
int lab_pool_try_given(const struct lab_pool *pool, struct lab_outcome *outcome);

/** Grades all submissions; outcomes[i] is the outcome of submission i, to be freed by the caller.
 * LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining of this machine; outcomes so far are kept.
 * With claims that are not the last, those that other graders judge are left empty. */
int lab_pool_run(const struct lab_pool *pool, struct lab_outcome **outcomes);

#endif
