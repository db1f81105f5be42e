/**
 * @file isolation.h
 * @brief What protects this machine from submissions, tried before anything is graded.
 */
#ifndef LAB_GRADE_ISOLATION_H
#define LAB_GRADE_ISOLATION_H

#include "grade/sandbox/account.h"

#include <stdbool.h>
#include <stddef.h>

/** What was asked for. */
struct lab_isolation_terms {
    const char *which;   /**< auto, full or none */
    const char *account; /**< the user in place of bubblewrap; NULL: none */
    const char *runtime; /**< auto, gpu or sim */
    bool force;          /**< grade even if it is not safe */
};

/**
 * @brief Finds out what protection this machine has.
 * @param isolate  receives whether programs run through bubblewrap
 * @param account  receives the user that they run as
 * @param text     receives the protection in words, for reports
 * @return LAB_EXIT_OK; another status after complaining that it is not enough
 */
int lab_isolation_choose(const struct lab_isolation_terms *terms, bool *isolate,
                         struct lab_account *account, char *text, size_t size);

#endif
