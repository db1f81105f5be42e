/**
 * @file results.h
 * @brief The results of an exercise's tests and goals: a line each for people, and all as JSON.
 */
#ifndef LAB_EXERCISE_RESULTS_H
#define LAB_EXERCISE_RESULTS_H

#include "exercise/goal_run.h"

#include <stdbool.h>

/* --- the size of a window that output has to fit in --------------------------------------------*/

enum { LAB_WINDOW_OTHER_ROWS = 6 }; /**< rows around the compiler's words */

/** Rows and columns of a window; 0: there is room enough. */
struct lab_window {
    int rows, columns;
};

/** Whether standard output is a terminal with few rows. */
bool lab_window_is_small(void);

/** Prints as much of a compiler's output to standard error as fits. @return rows printed */
int lab_window_print_compiler(const char *text, struct lab_window window);

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

/* --- what limits a kernel, in words that say where to begin ------------------------------------*/

/** The advice for a unit that limits a kernel, given the unit's name in the timing model; "" for
 *  other names. */
const char *lab_limit_words(const char *unit);

#endif
