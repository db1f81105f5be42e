/**
 * @file goal_run.h
 * @brief One test or goal of an exercise, run as `run` would run it.
 */
#ifndef LAB_EXERCISE_GOAL_RUN_H
#define LAB_EXERCISE_GOAL_RUN_H

#include "run/study.h"
#include "exercise/goal_file.h"
#include "exercise/costly_line.h"
#include "exercise/repeated.h"
#include "exercise/residents.h"
#include "measure/timing/speed.h"

/** What all lines of a run share. */
struct lab_goal_run_context {
    const struct lab_options *options; /**< target and GPU are taken from here */
    const char *source; /**< what --source says, or what that was compiled into; NULL: none */
    const struct lab_registry_entry *entry;
    const struct lab_step *student; /**< rows in place of the exercise's own; NULL: what is built */
    const struct lab_device *device;
    const struct lab_run_plan *plan;
};

/** What came of a goal. */
struct lab_goal_outcome {
    struct lab_check check; /**< of the exercise at the goal's sizes: it may fail there, too */
    double got, solution;
    const char *limiter; /**< of a modelled speed: what limits the exercise's kernel; else NULL */
    size_t local_bytes;  /**< not 0: of this no speed was modelled: see struct lab_times */
    /** Global sectors for each load or store, where it takes more of them and uses less of each
     * than the solution's does; else 0. */
    double sectors_each, solution_each;
    char more[160]; /**< more launches than the solution's, or blocks in one: how many; else "" */
    char repeated[LAB_REPEATED_BYTES];   /**< what is stored more often than it needs to be */
    char line[LAB_COSTLY_LINE_BYTES];    /**< where most of what is counted comes from; else "" */
    char residents[LAB_RESIDENTS_BYTES]; /**< of a speed too few blocks, of a counter too many */
    struct lab_speed speed; /**< of a speed that was measured; then `got` is the share */
    bool met;
    const char *sizes; /**< at which it was taken: those of the goal, or those of a GPU */
};

/** The exercise at one line's sizes; its first verdict that is not ok. With --thorough the family's
 * awkward problems are one test. */
int lab_goal_run_test(const struct lab_goal_run_context *context, const char *line,
                      struct lab_check *check);

/** Whether another line can be run: a fault leaves a GPU unusable for this process; the simulator's
 * device begins anew. */
bool lab_goal_run_device_lives(const struct lab_goal_run_context *context);

/**
 * @brief A kernel's share of the solution's speed, from rows that were timed in turn.
 * @param solution  target of the solution's rows, of which the last counts, as of the others
 * @param bar       share that is asked
 */
void lab_goal_run_speed(const struct lab_result *result, const char *solution, double bar,
                        struct lab_speed *speed);

/** The exercise beside its solution at a goal's sizes. */
int lab_goal_run_goal(const struct lab_goal_run_context *context,
                      const struct lab_exercise_goal *goal, struct lab_goal_outcome *outcome);

#endif
