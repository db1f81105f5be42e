/**
 * @file loop.h
 * @brief `run exerciseNN`: every test and goal of an exercise, one line each.
 */
#ifndef LAB_EXERCISE_LOOP_H
#define LAB_EXERCISE_LOOP_H

#include "run/study.h"

/**
 * @brief Runs an exercise's tests, then its goals beside the solution, and prints what to look at.
 *
 * The device is not open: each test opens it in a process of its own. If all is right, the exercise
 * is shown beside the solution, with what was learned and what comes next.
 * @param built_for  the GPU architecture of the build: "90"
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when a test failed or a goal was missed; another exit status
 *         after complaining
 */
int lab_exercise_run(const struct lab_options *options, bool is_sim, const char *built_for,
                     const struct lab_run_plan *plan);

#endif
