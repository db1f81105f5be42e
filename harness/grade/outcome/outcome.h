/**
 * @file outcome.h
 * @brief The outcome of one submission: verdict, tests, points. Plain data, each kept in a file, so
 * that an interrupted grading run can continue.
 */
#ifndef LAB_GRADE_OUTCOME_OUTCOME_H
#define LAB_GRADE_OUTCOME_OUTCOME_H

#include "grade/outcome/plan.h"
#include "grade/outcome/settings.h"

#include <stdbool.h>

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

#endif
