/**
 * @file show.h
 * @brief A run for people, for programs, or for the process that asked for it.
 */
#ifndef LAB_RUN_SHOW_H
#define LAB_RUN_SHOW_H

#include "run/run_rows.h"

/** The exit status that the checks of all rows come to. */
int lab_show_verdict(const struct lab_result *result);

/** Takes one run and shows it; an exit status: LAB_EXIT_FAILED when a row failed its check. */
int lab_run_and_show(const struct lab_options *options, const struct lab_device *device,
                     const struct lab_run_plan *plan);

#endif
