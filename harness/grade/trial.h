/**
 * @file trial.h
 * @brief A submission's trial: the process that has the reference, and makes the launches that the
 * submission asks for. It never runs the submission's host code.
 */
#ifndef LAB_GRADE_TRIAL_H
#define LAB_GRADE_TRIAL_H

#include "run/study.h"

/**
 * @brief Runs the lines of a plan, and reports each on descriptor 3.
 *
 * `options->source` is the submission's object file, with the shared object beside it;
 * `options->plan` has the lines. See grade/outcome/plan.h for both formats.
 * @return LAB_EXIT_OK when all lines were run, whatever their results
 */
int lab_trial_run(const struct lab_options *options, const struct lab_device *device,
                  const struct lab_run_plan *run_plan);

#endif
