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
 * When all is right, the exercise is shown beside the solution: times on a GPU, and counters.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when a test failed or a goal was missed; another exit status
 *         after complaining
 */
int lab_exercise_run(const struct lab_options *options, const struct lab_device *device,
                     const struct lab_counting *counting);

#endif
