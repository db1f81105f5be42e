/**
 * @file thorough.h
 * @brief Checks a target on its family's awkward problems, with one verdict.
 */
#ifndef LAB_RUN_THOROUGH_H
#define LAB_RUN_THOROUGH_H

#include "run/run_rows.h"

/**
 * @brief Checks the target's rows on each of the problems and prints the verdicts.
 *
 * A problem that no row solves, such as one with paths, is left out with a note. JSON is that of a
 * study, with a run for each problem.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when a row failed; another exit status after complaining
 */
int lab_thorough_run(const struct lab_options *options, const struct lab_device *device,
                     const struct lab_run_plan *plan);

#endif
