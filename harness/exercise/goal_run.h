/**
 * @file goal_run.h
 * @brief One test or goal of an exercise, run as `run` would run it.
 */
#ifndef LAB_EXERCISE_GOAL_RUN_H
#define LAB_EXERCISE_GOAL_RUN_H

#include "exercise/goal_file.h"
#include "machine/device.h"
#include "measure/result.h"
#include "measure/timing/speed.h"
#include "run/study.h"

/* What makes a kernel miss a goal, found from its counters. */

/* --- the source line that causes most of a missed goal's counter -------------------------------*/

enum { LAB_COSTLY_LINE_BYTES = 320 };

/** Writes the line whose accesses make up most of a counter, what a warp's access costs there, and
 * how its lanes lie; "" if no line stands out, or if the counter belongs to no line. */
void lab_costly_line_write(const struct lab_row *row, const struct lab_row *solution,
                           const char *counter, char text[LAB_COSTLY_LINE_BYTES]);

/* Work that a right kernel does more than once: elements that are stored again and again. */

enum { LAB_REPEATED_BYTES = 400 };

/** Writes what a row stores more often than the solution does, if both are one launch, and asks a
 * question that leads to the loop; else "". Lines are named if the row has them. */
void lab_repeated_write(const struct lab_row *row, const struct lab_row *solution,
                        char text[LAB_REPEATED_BYTES]);

/* How many blocks run at once, relative to the solution: too few, or more than have work. */

enum { LAB_RESIDENTS_BYTES = 240 };

/** For a missed speed: too few blocks for the device, or a lower occupancy than the solution's, and
 * the cause; "" if the solution has no more. */
void lab_residents_write_few(const struct lab_row *row, const struct lab_row *solution,
                             const struct lab_device *device, char text[LAB_RESIDENTS_BYTES]);

/** Whether the blocks that a row has more than the solution may have no work: those of both are
 * alike, and no more is stored. */
bool lab_residents_may_idle(const struct lab_row *row, const struct lab_row *solution);

/** A launch with many times the blocks of the solution's launch, which a right kernel may have
 * without missing a goal; "" if there is none. */
void lab_residents_write_many(const struct lab_row *row, const struct lab_row *solution,
                              char text[LAB_RESIDENTS_BYTES]);

/** That a row executes more instructions than the solution, with both occupancies; "" if it does
 * not. */
void lab_residents_write_work(const struct lab_row *row, const struct lab_row *solution,
                              char text[LAB_RESIDENTS_BYTES]);

/* --- a run for a goal --------------------------------------------------------------------------*/

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
    bool has_other_grid;                 /**< `residents` tells of too few or too many blocks */
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

/* --- the figure of a run that a goal bounds ----------------------------------------------------*/

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

/* Runs a test or goal in a process of its own. What a kernel file breaks there does not affect the
 * next one, and there is a verdict however the process ends. */

/** What the processes of an exercise are given. Each test and goal has its own process. */
struct lab_isolated {
    struct lab_goal_run_context context;
    const char *source;     /**< a kernel file in place of the target's; NULL: none */
    const char *object;     /**< what it was compiled into; NULL: none */
    const char *remove;     /**< a file to remove at an interrupt; NULL: none */
    const char *built_for;  /**< GPU architecture of the build */
    bool to_standard_error; /**< the kernel file's output goes there */
    double seconds;         /**< limit for a process on a GPU; the simulator counts work */
    struct lab_isolated_left *left;
};

/** What a process leaves, in memory that it shares with its parent. */
struct lab_isolated_left {
    bool ended; /**< it finished its work */
    int status; /**< if it has ended; not LAB_EXIT_OK: after complaining */
    struct lab_check check;
    struct lab_goal_outcome goals[LAB_EXERCISE_GOALS];
    struct lab_device device;
};

/** Gets the shared memory; LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining. */
int lab_isolated_open(struct lab_isolated *isolated);
void lab_isolated_close(struct lab_isolated *isolated);

/**
 * @brief Opens the device and loads the kernel file in a process of its own, to see that later
 * processes can.
 * @return an exit status, after complaining if it is not LAB_EXIT_OK
 */
int lab_isolated_look(struct lab_isolated *isolated);

/**
 * @brief Runs a test and leaves `check`, also if host code crashed, ended the process or hung.
 * @return LAB_EXIT_OK when there is a verdict; another exit status when this machine gives none,
 *         after complaining
 */
int lab_isolated_test(struct lab_isolated *isolated, const char *line);

/** Runs goals that one run has the figures of, see lab_goal_run_together(), and leaves `goals`. */
int lab_isolated_goals(struct lab_isolated *isolated, const struct lab_exercise_goal *goals,
                       int count);

/** Runs anything else that needs the device; an exit status. */
int lab_isolated_do(struct lab_isolated *isolated, int (*work)(const void *subject),
                    const void *subject);

#endif
