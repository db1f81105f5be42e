/**
 * @file rebuild.h
 * @brief Builds again, before a run, what was changed since it was built.
 */
#ifndef LAB_RUN_REBUILD_H
#define LAB_RUN_REBUILD_H

#include "options/options.h"

#include <stddef.h>

/**
 * @brief Has make build all that is not built, or older than its kernel file, for all targets, and
 * says so.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED after showing what the compiler says; LAB_EXIT_MISSING after
 *         complaining where nothing can be built
 */
int lab_rebuild(const struct lab_options *options);

/**
 * @brief Runs make in the checkout, for this build folder.
 * @param words  what it is to make
 * @param text   receives what it said, cut to `size`
 * @return its exit status; -1 where there is none, which `text` says
 */
int lab_rebuild_make(const char *const words[], int count, char *text, size_t size);

#endif
