/**
 * @file pool.h
 * @brief All submissions through a few workers. What is known from an earlier, cut off run is not
 * done again; what one submission breaks is its own.
 */
#ifndef LAB_POOL_H
#define LAB_POOL_H

#include "grade/judge.h"

#include <stdatomic.h>

/** A run over submissions. */
struct lab_pool {
    const struct lab_judge *judge;
    const struct lab_submissions *submissions;
    const char *state; /**< folder of kept outcomes */
    int workers;
    bool again;       /**< forget kept outcomes */
    atomic_int *done; /**< how many are, for another process to say */
};

/**
 * @brief Grades the exercise's solution like a submission, but for timing: what it does not pass,
 * no student can. An instructor's mistake, and what this machine lacks, show here.
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining
 */
int lab_pool_try_solution(const struct lab_pool *pool);

/** Grades all; outcomes[i] is that of submission i, to be freed. LAB_EXIT_OK, or LAB_EXIT_MISSING
 * after complaining: then something is wrong with this machine, and what was graded is kept. */
int lab_pool_run(const struct lab_pool *pool, struct lab_outcome **outcomes);

#endif
