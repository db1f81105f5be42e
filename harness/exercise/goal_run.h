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

/** The same for all lines of a run. */
struct lab_goal_run_context {
    const struct lab_options *options; /**< target and GPU are taken from here */
    const char *source;                /**< the file of --source, or its object; NULL: none */
    const struct lab_registry_entry *entry;
    const struct lab_step *student; /**< rows in place of the exercise's own; NULL: what is built */
    const struct lab_device *device;
    const struct lab_run_plan *plan;
    bool without_cause; /**< a wrong result's cause is not looked for by further launches */
};

/** The result of a goal. */
struct lab_goal_outcome {
    struct lab_check check; /**< of the exercise at the goal's sizes: it may fail there, too */
    double got, solution;
    const char *limiter; /**< what limits a modelled speed; else NULL */
    size_t local_bytes;  /**< not 0: no speed was modelled, see struct lab_times */
    /** Global sectors for each load or store, if the exercise takes more of them than the solution
     * and uses less of each; else 0. */
    double sectors_each, solution_each;
    char more[160]; /**< more launches, or blocks in a launch, than the solution; else "" */
    char repeated[LAB_REPEATED_BYTES];   /**< what is stored too often; else "" */
    char line[LAB_COSTLY_LINE_BYTES];    /**< where most of the counter comes from; else "" */
    char residents[LAB_RESIDENTS_BYTES]; /**< for a speed too few blocks, for a counter too many */
    struct lab_speed speed;              /**< of a measured speed; `got` is then the share */
    bool met;
    const char *sizes; /**< that were run: the goal's, or those for a GPU */
};

/** Runs the exercise at the sizes of a line; `check` receives the first verdict that is not ok.
 * With --thorough, the family's awkward problems are one test. */
int lab_goal_run_test(const struct lab_goal_run_context *context, const char *line,
                      struct lab_check *check);

/** Runs a target, which need not be the context's, at the sizes of a line, and takes its counters
 * and modelled times. */
int lab_goal_run_count(const struct lab_goal_run_context *context, const char *target,
                       const char *line, struct lab_result *result);

/** Whether another line can be run. After a fault a GPU is unusable for this process. The
 * simulator's device is reset in any case: what a kernel keeps in variables of its own, such as a
 * hidden test's data, is gone. */
bool lab_goal_run_device_lives(const struct lab_goal_run_context *context);

/**
 * @brief A kernel's share of the solution's speed, from rows that were timed in turn.
 * @param solution  target of the solution's rows; the last row of each target counts
 * @param bar       the share that is asked for
 */
void lab_goal_run_speed(const struct lab_result *result, const char *solution, double bar,
                        struct lab_speed *speed);

/** How many of these goals, from the first on, have the same sizes, so that one run has the figures
 *  of all. */
int lab_goal_run_together(const struct lab_goal_run_context *context,
                          const struct lab_exercise_goal *goals, int count);

/** Runs the exercise at the sizes of such goals, and its solution if a goal has no known figure of
 *  it; `outcomes` receives one for each goal. */
int lab_goal_run_goals(const struct lab_goal_run_context *context,
                       const struct lab_exercise_goal *goals, int count,
                       struct lab_goal_outcome *outcomes);

#endif
