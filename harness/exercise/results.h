/**
 * @file results.h
 * @brief The results of an exercise's tests and goals: a line each for people, and all as JSON.
 */
#ifndef LAB_EXERCISE_RESULTS_H
#define LAB_EXERCISE_RESULTS_H

#include "exercise/goal_run.h"
#include "exercise/window.h"

enum { LAB_EXERCISE_RESULTS = LAB_EXERCISE_TESTS + LAB_EXERCISE_GOALS };

/** The verdict on a test or a goal. UNKNOWN: it needs what the simulator does not know. */
enum lab_goal_run_verdict { LAB_GOAL_RUN_FAILED, LAB_GOAL_RUN_PASSED, LAB_GOAL_RUN_UNKNOWN };

/** One test or goal that was run. */
struct lab_exercise_result {
    const char *options;                  /**< of a test; NULL: it is a goal */
    const struct lab_exercise_goal *goal; /**< NULL: it is a test */
    enum lab_goal_run_verdict verdict;
    struct lab_check check;
    struct lab_goal_outcome outcome; /**< for a goal whose check is ok */
};

/** All results so far, in their order. */
struct lab_exercise_results {
    const char *target;
    const struct lab_exercise *exercise;
    const struct lab_device *device;
    struct lab_window window; /**< that the output must fit in */
    bool is_open;             /**< nothing is filled in yet, so no advice is given */
    bool is_brief;            /**< only the first fault of a kind is told in full */
    const char *left_out;     /**< options of the first line cut so; NULL: none */
    struct lab_exercise_result list[LAB_EXERCISE_RESULTS];
    int count;
    int shown;           /**< results that have been printed */
    int last_told;       /**< the last line that told a cause in full */
    bool passed;         /**< every test and every goal is passed */
    const char *unbuilt; /**< why nothing can be tried, such as the compiler's words; else NULL */
};

/** The number of results with this verdict. */
int lab_exercise_results_count(const struct lab_exercise_results *results,
                               enum lab_goal_run_verdict verdict);

/** Prints the result that was added last. */
void lab_exercise_results_print_last(struct lab_exercise_results *results);

/** Writes all results as JSON; an exit status. */
int lab_exercise_results_write(const struct lab_exercise_results *results, const char *path);

#endif
