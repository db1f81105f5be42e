/**
 * @file timed_trial.h
 * @brief The timed part of a trial. A submission and the solution are launched in turn on the same
 * device, each in a process of its own, on data that neither has seen before. Every output is
 * compared. The times give the submission's speed.
 */
#ifndef LAB_GRADE_TIMED_TRIAL_H
#define LAB_GRADE_TIMED_TRIAL_H

#include "grade/outcome/plan.h"
#include "options/options.h"
#include "machine/device.h"
#include "families/problem.h"

#include <stdio.h>

/**
 * @brief Runs the timed items of a plan, and reports each on `stream`.
 * @return LAB_EXIT_OK, whatever came of it; LAB_EXIT_MISSING after complaining when the solution
 *         itself cannot be timed here: that is not the submission's fault
 */
int lab_timed_trial_run(const struct lab_options *options, const struct lab_device *device,
                        const struct lab_family *family, const struct lab_plan *plan, FILE *stream);

#endif
