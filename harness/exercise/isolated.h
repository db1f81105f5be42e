/**
 * @file isolated.h
 * @brief Runs a test or goal in a process of its own. What a kernel file breaks there does not
 * affect the next one, and there is a verdict however the process ends.
 */
#ifndef LAB_EXERCISE_ISOLATED_H
#define LAB_EXERCISE_ISOLATED_H

#include "exercise/goal_run.h"
#include "machine/device.h"

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
