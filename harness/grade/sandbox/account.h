/**
 * @file account.h
 * @brief Another user of this system, as whom programs run that read a submission or run its host
 * code. It takes root's rights, but no namespaces: for containers in which bubblewrap may make
 * none.
 */
#ifndef LAB_GRADE_SANDBOX_ACCOUNT_H
#define LAB_GRADE_SANDBOX_ACCOUNT_H

#include <stdbool.h>
#include <sys/types.h>

/** The user and its only group; user 0: none. */
struct lab_account {
    uid_t user;
    gid_t group;
};

/** Finds a user by its name; LAB_EXIT_OK, or LAB_EXIT_USAGE after complaining that it is not there,
 * or that this process or the user cannot be used. */
int lab_account_find(const char *name, struct lab_account *account);

/** Becomes the user, for good: no other group, no way back, nothing gained from a program that
 * belongs to root. False: this process is still what it was, or something between, and must end. */
bool lab_account_become(const struct lab_account *account);

/**
 * @brief Tries, as the user, what a submission could reach through the compiler.
 * @param closed  paths that the user must not be able to open or to enter, ends in NULL; besides
 * them all that is in the checkout and its build folder, except what a compiler needs
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining of the first path that is open, or of
 * one that must be open and is not
 */
int lab_account_try(const struct lab_account *account, const char *name, const char *const *closed);

#endif
