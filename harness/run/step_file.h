/**
 * @file step_file.h
 * @brief Loading the shared object of a stage, or of a kernel file given with --source.
 */
#ifndef LAB_RUN_STEP_FILE_H
#define LAB_RUN_STEP_FILE_H

#include "diagnose/check.h"
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

#endif
