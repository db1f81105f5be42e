/**
 * @file sanitize.h
 * @brief `--sanitize`: the run under each tool of compute-sanitizer, on a GPU.
 */
#ifndef LAB_RUN_SANITIZE_H
#define LAB_RUN_SANITIZE_H

#include "options/options.h"

#include <stdio.h>

/** LAB_EXIT_OK if there is a GPU and compute-sanitizer can be used; else an exit status after
 *  complaining. */
int lab_sanitize_check(bool is_sim);

/**
 * @brief Runs the target under memcheck, racecheck, initcheck and synccheck and prints a line each.
 *
 * Sizes that were not given are those of the simulator, 256 at most: the tools slow a kernel down
 * by orders of magnitude.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when a tool found something; LAB_EXIT_MISSING after
 *         complaining when a tool did not work.
 */
int lab_sanitize(const struct lab_options *options, FILE *stream);

#endif
