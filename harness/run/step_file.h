/**
 * @file step_file.h
 * @brief Loading the shared object of a stage, or of a kernel file given with --source.
 */
#ifndef LAB_RUN_STEP_FILE_H
#define LAB_RUN_STEP_FILE_H

#include "diagnose/check.h"
#include "options/options.h"
#include "step.h"

#include <stdbool.h>
#include <stddef.h>

struct lab_stage;

/**
 * @brief Loads the built object of a stage that a target names; it stays loaded.
 * @param stage  NULL: the target's first stage, such as for "solution07"
 * @return NULL when it is not built or was built for another contract; `why` then receives one line
 */
const struct lab_step *lab_step_file_load(const char *target, const struct lab_stage *stage,
                                          char *why, size_t size);

/** Whether a source is a shared object: FILE.so, or FILE.so:NAME for one of several kernel files in
 * it. */
bool lab_step_file_is_object(const char *source);

/** Loads a shared object, which stays loaded; NULL with a line in `why`. */
const struct lab_step *lab_step_file_open(const char *object, char *why, size_t size);

/**
 * @brief Compiles and loads a kernel file in place of a target's own. An object is loaded as it
 * is.
 * @param check  receives build_error and the compiler's message when the file is at fault
 * @return LAB_EXIT_OK with *step set; otherwise an exit status, after complaining unless `check`
 *         tells.
 */
int lab_step_file_source(const char *source, const struct lab_step **step, struct lab_check *check);

/* --- building what was changed -----------------------------------------------------------------*/

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
