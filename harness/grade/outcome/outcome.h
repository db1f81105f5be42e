/**
 * @file outcome.h
 * @brief The outcome of one submission: verdict, tests, points. Plain data, each kept in a file, so
 * that an interrupted grading run can continue.
 */
#ifndef LAB_GRADE_OUTCOME_OUTCOME_H
#define LAB_GRADE_OUTCOME_OUTCOME_H

#include "base/files.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "exercise/goal_file.h"
#include "grade/sandbox/sandbox.h"
#include "measure/timing/speed.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The plan of a trial, written by the grader, and the trial's reports, line by line. */

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

/* --- what an instructor may choose: points, limits, what students see --------------------------*/

enum { LAB_SETTING_TEXT = 64 };

/** Read from a file in TOML's form: sections, `name = value`, comments. */
struct lab_settings {
    double points;                 /**< of the whole exercise */
    double shown, hidden, goals;   /**< shares of the points, in any unit */
    char secret[LAB_SETTING_TEXT]; /**< hidden tests are drawn from it; "": from the state folder's
                                    */
    bool hidden_feedback;    /**< students see how a hidden test failed, not only that it did */
    double compile_seconds;  /**< limits */
    double trial_seconds;    /**< all tests of a submission */
    double launch_seconds;   /**< one call of its launch function */
    double memory_mb;        /**< of the process that runs its kernels */
    double gpu_seconds;      /**< all timed items of a submission */
    double call_seconds;     /**< one call of its kernels */
    double speed_share;      /**< of the solution's speed that is asked on a GPU, where the
                                  exercise asks for none itself; 0: none */
    double speed_confidence; /**< of its interval */
    double speed_pairs;      /**< pairs of launches before the first look */
    bool leaderboard;        /**< of Gradescope */
    char visibility[LAB_SETTING_TEXT];        /**< of the tests that students know */
    char hidden_visibility[LAB_SETTING_TEXT]; /**< of the others */
};

/** The defaults. */
struct lab_settings lab_settings_default(void);

/** Writes all settings but the secret as one JSON object with this name. */
void lab_settings_put(const struct lab_settings *settings, struct lab_json_writer *w,
                      const char *name);

/** Reads a file over the defaults; LAB_EXIT_OK, or LAB_EXIT_USAGE after complaining with the line.
 */
int lab_settings_read(struct lab_settings *settings, const char *path);

enum { LAB_OUTCOME_NAME = 2048, LAB_OUTCOME_COMPILER = 4096 };

/** One test or goal. */
struct lab_outcome_test {
    char name[LAB_EXERCISE_LINE];
    char options[LAB_EXERCISE_LINE]; /**< of the run, with the seed: secret */
    bool visible, is_goal;
    bool scored;                  /**< false: only shown, and neither test nor goal */
    enum lab_check_status status; /**< LAB_CHECK_NOT_RUN if it was not reached */
    bool passed;
    double got, solution;   /**< of a goal */
    struct lab_speed speed; /**< of what was timed on a GPU */
    double points, most;
    char message[1024];
};

/** One submission. Its texts are as lab_printable() gives them. */
struct lab_outcome {
    char student[LAB_OUTCOME_NAME]; /**< different for all submissions of a run */
    char file[LAB_OUTCOME_NAME];
    enum lab_check_status status; /**< ok, or the status of the first test that failed; unsupported
                                     or internal_error: none failed, but one has no verdict */
    char message[1024];
    char compiler[LAB_OUTCOME_COMPILER]; /**< the compiler's output, cut; "": none */
    char sha256[65];                     /**< of the file that was graded; "": not known */
    bool prints;                         /**< it calls printf, which costs no points */
    bool is_as_given; /**< it passes no more than the file that students were given, and has no
                         points */
    bool isolated;    /**< through bubblewrap; else limits only */
    bool is_equal;    /**< taken from a file that differs in comments and blanks alone */
    double seconds;
    double points, most;
    struct lab_outcome_test tests[LAB_PLAN_MOST];
    int test_count;
};

/** False if the simulator's limits, or a fault of the lab, leave a submission without a verdict:
 * then its points are unknown, not 0. */
bool lab_outcome_judged(const struct lab_outcome *outcome);

/** The first test that is left without a verdict so; NULL when there is none. */
const struct lab_outcome_test *lab_outcome_unknown(const struct lab_outcome *outcome);

/** Whether a student who sees why the submission failed learns of a hidden test, or of a goal,
 * whose sizes are drawn: such a test decides the verdict. A kernel that sees hidden data could
 * choose its fault, and so tell them. */
bool lab_outcome_is_secret(const struct lab_outcome *outcome);

/** Gives points to tests as the settings say, and sums them up. There are none without one test or
 *  goal that the file as it was given fails; `given`: its outcome, or NULL. */
void lab_outcome_score(struct lab_outcome *outcome, const struct lab_outcome *given,
                       const struct lab_settings *settings);

/** Tests passed, or goals; *count receives how many there are. */
int lab_outcome_passed(const struct lab_outcome *outcome, bool goals, int *count);

/** The test whose speed was measured; NULL when none was. */
const struct lab_outcome_test *lab_outcome_timed(const struct lab_outcome *outcome);

/** The first test that this machine could not run, such as a timed one, and says why; else the
 * first without a verdict; NULL when there is none. The next run tries again. */
const struct lab_outcome_test *lab_outcome_left_out(const struct lab_outcome *outcome);

/** What its student should mend though it costs no points, in a line; "": nothing. */
const char *lab_outcome_warning(const struct lab_outcome *outcome);

/** A measured share of the solution's speed that can be believed; else 0. */
double lab_outcome_share(const struct lab_outcome_test *test);

/** Writes it beside its place and renames it; false when that failed. */
bool lab_outcome_save(const struct lab_outcome *outcome, const char *path);

/** False when there is none, or one of another version of this program. */
bool lab_outcome_load(struct lab_outcome *outcome, const char *path);

/** Saves it with a text, or loads one that was saved with just this text, in the same way. */
bool lab_outcome_save_of(const struct lab_outcome *outcome, const char *text, size_t size,
                         const char *path);
bool lab_outcome_load_of(struct lab_outcome *outcome, const char *text, size_t size,
                         const char *path);

/** Whether the kernel is right without any doubt or remark, whatever goals it misses, so that the
 * outcome holds for whoever hands in the same program. A compiler's warning quotes its own file. */
bool lab_outcome_is_right(const struct lab_outcome *outcome);

#endif
