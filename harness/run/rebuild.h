/**
 * @file rebuild.h
 * @brief Builds, before a run, what was changed since its build.
 */
#ifndef LAB_RUN_REBUILD_H
#define LAB_RUN_REBUILD_H

#include "options/options.h"

#include <stddef.h>

/**
 * @brief Has make build all objects of the targets that are missing or older than their kernel
 * file, and says so.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED after showing what the compiler says; LAB_EXIT_MISSING after
 *         complaining if nothing can be built
 */
int lab_rebuild(const struct lab_options *options);

/**
 * @brief Runs make in the checkout, for this build folder.
 * @param words  the targets of make
 * @param text   receives the output of make, cut to `size`
 * @return its exit status; -1 if there is none, with the reason in `text`
 */
int lab_rebuild_make(const char *const words[], int count, char *text, size_t size);

#endif
