/**
 * @file exercise.h
 * @brief What `run` does with an exercise: tests it, compares it, gives hints, watches it.
 */
#ifndef LAB_EXERCISE_EXERCISE_H
#define LAB_EXERCISE_EXERCISE_H

#include "run/plan.h"
#include "run/study.h"

#include <argp.h>

/* --- `run exerciseNN`: every test and goal of an exercise, one line each -----------------------*/

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

/* `run compare exerciseNN solutionNN`: times, the counters of the goals, and a last row for the
 * exercise as it was given. */

/** Runs the comparison on the simulator, with counters taken; an exit status. */
int lab_beside_run(const struct lab_options *options, const struct lab_device *device,
                   const struct lab_run_plan *plan);

/** Runs the rows of such a comparison. In a hand-out the solution's are put in as recorded. */
int lab_beside_run_rows(const struct lab_options *options, const struct lab_device *device,
                        const struct lab_run_plan *plan, struct lab_result *result);

/** Prints one line if the modelled time of a student's row differs from that of the fastest other
 * row that is right: how much it is faster, or slower, with the cause as far as the model knows. */
void lab_beside_say_speed(const struct lab_result *result);

/* --- `run hint exerciseNN`: the next hint at each call -----------------------------------------*/

/** The options of `run hint`, up to an empty one. */
extern const struct argp_option lab_hint_options[];

/** Prints the next hint, or all from the first on with --all; --again forgets which were given.
 *  Returns an exit status. `argv[0]` is "hint". */
int lab_hint(int argc, char **argv);

/* `run watch exerciseNN`: builds and runs an exercise each time it is saved, and goes on to the
 * next exercise when asked to. */

/** The options of `run watch`, up to an empty one. */
extern const struct argp_option lab_watch_options[];

/** Watches until an interrupt or key q; an exit status. `argv[0]` is "watch". */
int lab_watch(int argc, char **argv);

#endif
