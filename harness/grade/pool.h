/**
 * @file pool.h
 * @brief All submissions through a few workers. Submissions that an earlier, interrupted run has
 * judged are not judged again. Whatever a submission breaks affects only itself.
 */
#ifndef LAB_POOL_H
#define LAB_POOL_H

#include "base/files.h"
#include "grade/judge.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Which of several graders with one state folder judges a submission. A claim is a file that
 * is linked to its name, which only one process can do, over a network, too. Nothing that was
 * claimed is ever released: who takes over from a grader that is gone makes the next claim. */

/** The claims of one grader. */
struct lab_claims {
    const char *folder;       /**< of all graders' claims; NULL: there are no others */
    bool is_last;             /**< runs after all others, so that their claims are void */
    char own[LAB_PATH_BYTES]; /**< the file that says who this grader is; its claims are links */
};

/** Writes down who this grader is; LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining. */
int lab_claims_begin(struct lab_claims *claims);

/** Removes that; claims stay. */
void lab_claims_end(struct lab_claims *claims);

/** What came of a claim. */
enum lab_claim {
    LAB_CLAIM_OWN,    /**< this grader is to judge it */
    LAB_CLAIM_DONE,   /**< it was judged since the claims' folder was made */
    LAB_CLAIM_OTHERS, /**< another grader does */
    LAB_CLAIM_FAILED  /**< the folder cannot be used; there was a complaint */
};

/** Claims what has this name. */
enum lab_claim lab_claims_take(const struct lab_claims *claims, const char *name);

/** Notes that it is judged, and its outcome kept; false: errno says why not. */
bool lab_claims_done(const struct lab_claims *claims, const char *name);

/* --- submissions -------------------------------------------------------------------------------*/

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
