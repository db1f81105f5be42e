/**
 * @file build.h
 * @brief Compiling a submission, confined and with the flags of the steps, into an object and a
 * shared object.
 */
#ifndef LAB_BUILD_H
#define LAB_BUILD_H

#include "grade/outcome/outcome.h"
#include "grade/recorded_launches/object.h"
#include "grade/sandbox/account.h"

/** How the compiler is run. */
struct lab_build_terms {
    bool isolate;               /**< through bubblewrap */
    struct lab_account account; /**< or as this user, who owns the folder */
    double seconds;             /**< that it may take */
};

/**
 * @brief Compiles FOLDER/kernel.cu into FOLDER/kernel.o; nothing of it is executed.
 * @return false after setting the outcome's status and what the compiler said
 */
bool lab_build_object(const struct lab_build_terms *terms, const char *folder,
                      struct lab_outcome *outcome);

/** Links FOLDER/kernel.o, which must have been checked, into FOLDER/kernel.o.so. */
bool lab_build_shared(const struct lab_build_terms *terms, const char *folder,
                      struct lab_outcome *outcome);

#endif
