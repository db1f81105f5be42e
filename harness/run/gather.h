/**
 * @file gather.h
 * @brief Loads the targets and kernel files that the options name, and lists their rows and the
 * rows that they are compared with.
 */
#ifndef LAB_RUN_GATHER_H
#define LAB_RUN_GATHER_H

#include "run/plan.h"

/** Loads what the options name and lists the rows of the result; an exit status. A kernel file that
 *  does not build is a result, too. */
int lab_gather_rows(const struct lab_options *options, const struct lab_run_plan *plan,
                    struct lab_result *result);

#endif
