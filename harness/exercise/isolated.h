/**
 * @file isolated.h
 * @brief A test or goal in a process of its own: what a kernel file breaks there, the next does not
 * see, and however it ends there is a verdict.
 */
#ifndef LAB_EXERCISE_ISOLATED_H
#define LAB_EXERCISE_ISOLATED_H

#include "exercise/goal_run.h"
#include "machine/device.h"

/** What the processes of an exercise are given and leave. Each has its own process. */
struct lab_isolated {
    struct lab_goal_run_context context;
    const char *source;     /**< a kernel file in place of the target's; NULL: none */
    const char *object;     /**< what it was compiled into; NULL: none */
    const char *remove;     /**< a file to be removed by who is interrupted; NULL: none */
    const char *built_for;  /**< architecture of what is built */
    bool to_standard_error; /**< what the kernel file prints */
    double seconds;         /**< that a process may take */
    struct lab_isolated_left *left;
};

/** What a process leaves, in memory that both share. */
struct lab_isolated_left {
    bool ended; /**< it came to the end of its work */
    int status; /**< then: an exit status, of which it has told all that is not LAB_EXIT_OK */
    struct lab_check check;
    struct lab_goal_outcome goal;
    struct lab_device device;
};

/** Gets the shared memory; LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining. */
int lab_isolated_open(struct lab_isolated *isolated);
void lab_isolated_close(struct lab_isolated *isolated);

/**
 * @brief Looks at the device and loads the kernel file, as every process will, and leaves the
 * device.
 * @return an exit status, after telling what is not LAB_EXIT_OK
 */
int lab_isolated_look(struct lab_isolated *isolated);

/**
 * @brief A test: `check` is left, of host code that crashed, ended the process or did not end, too.
 * @return LAB_EXIT_OK when there is a verdict; another exit status when this machine gives none,
 *         after complaining
 */
int lab_isolated_test(struct lab_isolated *isolated, const char *line);

/** A goal: `goal` is left. */
int lab_isolated_goal(struct lab_isolated *isolated, const struct lab_exercise_goal *goal);

/** Anything else that needs the device; an exit status. */
int lab_isolated_do(struct lab_isolated *isolated, int (*work)(const void *subject),
                    const void *subject);

#endif
