/**
 * @file trial.h
 * @brief A submission's trial: the process that has the reference, and makes the launches that the
 * submission asks for. It never runs the submission's host code.
 */
#ifndef LAB_GRADE_TRIAL_H
#define LAB_GRADE_TRIAL_H

#include "families/problem.h"
#include "grade/outcome/outcome.h"
#include "machine/device.h"
#include "options/options.h"
#include "run/study.h"

#include <stdio.h>

/**
 * @brief Runs the lines of a plan, and reports each on descriptor 3.
 *
 * `options->source` is the submission's object file, with the shared object beside it;
 * `options->plan` has the lines. See grade/outcome/plan.c for both formats.
 * @return LAB_EXIT_OK when all lines were run, whatever their results
 */
int lab_trial_run(const struct lab_options *options, const struct lab_device *device,
                  const struct lab_run_plan *run_plan);

/* The timed part of a trial. A submission and the solution are launched in turn on the same device,
 * each in a process of its own, on data that neither has seen before. Every output is compared. The
 * times give the submission's speed. */

/**
 * @brief Runs the timed items of a plan, and reports each on `stream`.
 * @return LAB_EXIT_OK, whatever came of it; LAB_EXIT_MISSING after complaining when the solution
 *         itself cannot be timed here: that is not the submission's fault
 */
int lab_timed_trial_run(const struct lab_options *options, const struct lab_device *device,
                        const struct lab_family *family, const struct lab_plan *plan, FILE *stream);

#endif
