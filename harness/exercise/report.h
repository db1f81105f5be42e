/**
 * @file report.h
 * @brief What came of an exercise's tests and goals: a row each for people, all of it as JSON.
 */
#ifndef LAB_EXERCISE_REPORT_H
#define LAB_EXERCISE_REPORT_H

#include "exercise/goal_run.h"
#include "exercise/window.h"

enum { LAB_REPORT_LINES = LAB_EXERCISE_TESTS + LAB_EXERCISE_GOALS };

/** The verdict on a line. What the simulator does not know is no failure. */
enum lab_goal_run_verdict { LAB_GOAL_RUN_FAILED, LAB_GOAL_RUN_PASSED, LAB_GOAL_RUN_UNKNOWN };

/** One test or goal that was run. */
struct lab_report_line {
    const char *options;                  /**< of a test */
    const struct lab_exercise_goal *goal; /**< NULL: it is a test */
    enum lab_goal_run_verdict verdict;
    struct lab_check check;
    struct lab_goal_outcome outcome; /**< of a goal whose check is ok */
};

/** All lines so far, in their order. */
struct lab_report {
    const char *target;
    const struct lab_exercise *exercise;
    const struct lab_device *device;
    struct lab_window window; /**< that all has to fit in */
    bool is_open;             /**< nothing is filled in yet: no advice is given */
    bool is_brief;            /**< of a kind of fault the first alone is told in full */
    const char *left_out;     /**< options of the first line that was so cut; NULL: none was */
    struct lab_report_line lines[LAB_REPORT_LINES];
    int count;
    int last_told;       /**< the last line that said a cause in full */
    bool passed;         /**< every test and every goal */
    const char *unbuilt; /**< what the compiler said, where there is nothing to try; else NULL */
};

/** How many lines came to this verdict. */
int lab_report_count(const struct lab_report *report, enum lab_goal_run_verdict verdict);

/** Prints the last line that was added. */
void lab_report_print_last(struct lab_report *report);

/** Writes all of it as JSON; an exit status. */
int lab_report_write(const struct lab_report *report, const char *path);

#endif
