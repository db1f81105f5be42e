/**
 * @file claims.h
 * @brief Which of several graders with one state folder judges a submission. A claim is a file that
 * is linked to its name, which only one process can do, over a network, too. Nothing that was
 * claimed is ever released: who takes over from a grader that is gone makes the next claim.
 */
#ifndef LAB_GRADE_CLAIMS_H
#define LAB_GRADE_CLAIMS_H

#include "base/files.h"

#include <stdbool.h>

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

#endif
