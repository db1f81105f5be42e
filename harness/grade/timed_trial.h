/**
 * @file timed_trial.h
 * @brief The timed part of a trial: a submission and the solution launch by launch in turn on the
 * same device, each in a process of its own, on data that neither has seen before; every output
 * compared; and what follows for the submission's speed.
 */
#ifndef LAB_GRADE_TIMED_TRIAL_H
#define LAB_GRADE_TIMED_TRIAL_H

#include "grade/outcome/plan.h"
#include "options/options.h"
#include "measure/device.h"
#include "families/problem.h"

#include <stdio.h>

/**
 * @brief Runs what a plan has timed, and reports each on `stream`.
 * @return LAB_EXIT_OK, whatever came of it; LAB_EXIT_MISSING after complaining when the solution
 *         itself cannot be timed here: that is not the submission's fault
 */
int lab_timed_trial_run(const struct lab_options *options, const struct lab_device *device,
                        const struct lab_family *family, const struct lab_plan *plan, FILE *stream);

#endif
