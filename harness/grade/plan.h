/**
 * @file plan.h
 * @brief What a trial is to run, written by the grader, and what it reports, line by line.
 */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include "grade/exercise.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LAB_PLAN_MOST = 64 };

/** A test, or a goal. */
struct lab_plan_item {
    bool is_goal, visible;
    char options[LAB_EXERCISE_LINE]; /**< with the secret seed */
    char name[LAB_EXERCISE_LINE];    /**< as it is shown */
    struct lab_exercise_goal goal;
};

/** Everything that a trial does. */
struct lab_plan {
    bool isolate;          /**< the recorder runs through bubblewrap */
    double launch_seconds; /**< that the recorder may take */
    double speed_share;    /**< of the solution's speed, that is asked; 0: not timed */
    struct lab_plan_item items[LAB_PLAN_MOST];
    int count;
};

/** What a trial says of one item. */
struct lab_plan_report {
    int item;                     /**< -1: of the submission as a whole, which ends the trial */
    enum lab_check_status status; /**< LAB_CHECK_NOT_RUN: it has begun */
    bool met;                     /**< of a goal */
    double got, solution;         /**< of a goal; of the whole: 0 */
    char message[1024];
};

/**
 * @brief Makes the plan of an exercise: its visible tests, hidden ones with sizes and seeds drawn
 * from `secret`, then its goals.
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining
 */
int lab_plan_make(const struct lab_exercise *exercise, uint64_t secret, struct lab_plan *plan);

/** Writes a plan to a file, or reads it; false when that failed. */
bool lab_plan_write(const struct lab_plan *plan, const char *path);
bool lab_plan_read(struct lab_plan *plan, const char *path);

/** Writes one line of a report. */
void lab_plan_say(FILE *stream, const struct lab_plan_report *report);

/** Reads one line of a report; false when it is none. */
bool lab_plan_hear(const char *line, struct lab_plan_report *report);

#endif
