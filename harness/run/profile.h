/**
 * @file profile.h
 * @brief `--profile`: the counters that children take after the run itself.
 */
#ifndef LAB_RUN_PROFILE_H
#define LAB_RUN_PROFILE_H

#include "run/plan.h"

/** Runs the children that count, and fills the rows; an exit status. */
int lab_profile_take(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_result *result);

/** Writes a child's row counters to a file for its parent; an exit status. */
int lab_profile_hand_over(const struct lab_result *result, const char *path);

#endif
