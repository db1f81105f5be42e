/**
 * @file gather.h
 * @brief Which rows the options name: targets and kernel files loaded, their rows, what they are
 * compared with.
 */
#ifndef LAB_RUN_GATHER_H
#define LAB_RUN_GATHER_H

#include "run/plan.h"

/** Loads what the options name and puts the rows of the result together; an exit status. A kernel
 *  file that does not build is a result, too. */
int lab_gather_rows(const struct lab_options *options, const struct lab_run_plan *plan,
                    struct lab_result *result);

#endif
