/**
 * @file files.h
 * @brief The files that options ask for.
 */
#ifndef LAB_RUN_FILES_H
#define LAB_RUN_FILES_H

#include "measure/result.h"
#include "options/options.h"

/** Tries before the run whether the files can be written: LAB_EXIT_OK, or the status after
 * complaining. */
int lab_files_check(const struct lab_options *options);

/** Writes the files: LAB_EXIT_OK, or an exit status after complaining. */
int lab_files_write(const struct lab_options *options, const struct lab_result *result);

#endif
