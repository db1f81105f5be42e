/**
 * @file plan.h
 * @brief The plan of a trial, written by the grader, and the trial's reports, line by line.
 */
#ifndef LAB_GRADE_OUTCOME_PLAN_H
#define LAB_GRADE_OUTCOME_PLAN_H

#include "exercise/goal_file.h"
#include "grade/sandbox/account.h"
#include "measure/timing/speed.h"
#include "base/files.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LAB_PLAN_MOST = 64 };

/** A test, or a goal. */
struct lab_plan_item {
    bool is_goal, visible;
    bool timed;  /**< on a GPU, after all others were right */
    bool scored; /**< it gives points; a speed without a bar is only shown */
    int again;   /**< the goal that this one is again, at other sizes; 0, which is a test: none */
    double bar;  /**< for a timed item: the share of the solution's speed that is asked, or 0 */
    char options[LAB_EXERCISE_LINE]; /**< with the secret seed */
    char name[LAB_EXERCISE_LINE];    /**< as it is shown */
    struct lab_exercise_goal goal;
};

/** How submissions are timed. */
struct lab_plan_timing {
    bool wanted;
    bool rehearsal;                /**< on the simulator: times say nothing */
    char options[64];              /**< of a rehearsal: sizes in place of the exercise's */
    bool isolate;                  /**< timers run through bubblewrap */
    double confidence;             /**< of the interval */
    int first_pairs;               /**< of the first look */
    double seconds, call_seconds;  /**< limits: all of it, and one call */
    char solution[LAB_PATH_BYTES]; /**< its object file */
};

/** Everything that a trial does. */
struct lab_plan {
    bool isolate;               /**< the recorder runs through bubblewrap */
    struct lab_account account; /**< or as this user */
    double launch_seconds;      /**< that the recorder may take */
    double speed_share; /**< of the solution's speed, where the exercise asks for none itself */
    struct lab_plan_timing timing;
    bool times; /**< this trial runs the timed items; else the others */
    struct lab_plan_item items[LAB_PLAN_MOST];
    int count;
};

/** A trial's report on one item. */
struct lab_plan_report {
    int item;                     /**< -1: the submission as a whole, which ends the trial */
    enum lab_check_status status; /**< LAB_CHECK_NOT_RUN: it has begun */
    bool met;                     /**< of a goal */
    double got, solution;         /**< of a goal; of the whole: 0 */
    struct lab_speed speed;       /**< of what is timed */
    char message[1024];
};

/**
 * @brief Makes the plan of an exercise: its visible tests, hidden ones with sizes and seeds drawn
 * from `secret`, then its goals. The other fields of the plan must be set before, because they
 * decide what is timed.
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining
 */
int lab_plan_make(const struct lab_exercise *exercise, const char *secret, struct lab_plan *plan);

/** Writes a plan to a file, or reads it; false when that failed. */
bool lab_plan_write(const struct lab_plan *plan, const char *path);
bool lab_plan_read(struct lab_plan *plan, const char *path);

/** Writes one line of a report. */
void lab_plan_say(FILE *stream, const struct lab_plan_report *report);

/** Reads one line of a report; false when it is none. */
bool lab_plan_hear(const char *line, struct lab_plan_report *report);

#endif
