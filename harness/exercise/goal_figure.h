/**
 * @file goal_figure.h
 * @brief The figure of a run that a goal bounds.
 */
#ifndef LAB_EXERCISE_GOAL_FIGURE_H
#define LAB_EXERCISE_GOAL_FIGURE_H

#include "exercise/goal_file.h"
#include "measure/result.h"

/** The last row that is not a baseline; NULL: none. */
const struct lab_row *lab_goal_figure_row(const struct lab_result *result);

/**
 * @brief The figure: GFLOP/s for "speed"; microseconds for "time"; else a counter, together with
 * those that count other ways to do the same. An atomic that adds 0 reads as a load does.
 * @return false if it was not taken
 */
bool lab_goal_figure(const struct lab_result *result, const struct lab_exercise_goal *goal,
                     double *value);

/** Bytes in local memory, because of which a row has no modelled speed; 0: none. */
size_t lab_goal_figure_local_bytes(const struct lab_result *result);

#endif
