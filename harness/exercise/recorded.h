/**
 * @file recorded.h
 * @brief The runs of a solution as recorded for a hand-out, which has the solution's figures and no
 * solution: an exercise is compared with them in place of launches.
 */
#ifndef LAB_EXERCISE_RECORDED_H
#define LAB_EXERCISE_RECORDED_H

#include "exercise/goal_run.h"

/**
 * @brief Runs the solution at the sizes of each goal, and at those of the comparison, and writes
 * its figures.
 * @param context  its target is the solution
 * @return an exit status, after complaining if it is not LAB_EXIT_OK
 */
int lab_recorded_write(const struct lab_goal_run_context *context,
                       const struct lab_exercise *exercise, const char *path);

/**
 * @brief Puts the solution's rows before those of a result, as they were recorded.
 * @param options  sizes of the run as goal.txt has them; "": those of the comparison
 * @param result   gets rows without kernels: they are not launched. lab_result_release() frees what
 *                 they own
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining: there is no such
 * run
 */
int lab_recorded_put(const struct lab_registry_entry *entry, const char *options,
                     const struct lab_device *device, struct lab_result *result);

#endif
