/**
 * @file beside.h
 * @brief `run compare exerciseNN solutionNN`: times, the counters that the goals ask for, and the
 * exercise as it was given as a last row.
 */
#ifndef LAB_EXERCISE_BESIDE_H
#define LAB_EXERCISE_BESIDE_H

#include "run/plan.h"

/** On the simulator, with counters taken; an exit status. */
int lab_beside_run(const struct lab_options *options, const struct lab_device *device,
                   const struct lab_run_plan *plan);

/** One line, where a student's row has a larger modelled time than another that is right: why, as
 *  far as the model knows. */
void lab_beside_say_slower(const struct lab_result *result);

#endif
