/**
 * @file beside.h
 * @brief `run compare exerciseNN solutionNN`: times, the counters of the goals, and a last row for
 * the exercise as it was given.
 */
#ifndef LAB_EXERCISE_BESIDE_H
#define LAB_EXERCISE_BESIDE_H

#include "run/plan.h"

/** Runs the comparison on the simulator, with counters taken; an exit status. */
int lab_beside_run(const struct lab_options *options, const struct lab_device *device,
                   const struct lab_run_plan *plan);

/** Runs the rows of such a comparison. In a hand-out the solution's are put in as recorded. */
int lab_beside_run_rows(const struct lab_options *options, const struct lab_device *device,
                        const struct lab_run_plan *plan, struct lab_result *result);

/** Prints one line, as far as the model knows the cause, if a student's row has a larger modelled
 * time than another row that is right. */
void lab_beside_say_slower(const struct lab_result *result);

#endif
