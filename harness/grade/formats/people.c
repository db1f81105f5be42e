/* Reports for people: the instructor's table, and a text for each student. */
#include "grade/formats/formats.h"

#include "base/numbers.h"
#include "base/text.h"
#include "base/status.h"

#include <string.h>
#include <unistd.h>

static const char *verdict_of(const struct lab_outcome *outcome)
{
    return lab_outcome_judged(outcome) ? lab_check_status_name(outcome->status) : "not judged";
}

/* "71% reached", with the interval in percent. */
static void speed_of(const struct lab_outcome *outcome, char text[48])
{
    const struct lab_outcome_test *timed = lab_outcome_timed(outcome);
    const struct lab_speed *s = timed ? &timed->speed : NULL;
    text[0] = '\0';
    if (s)
        snprintf(text, 48, "%.4g%% (%.4g..%.4g) %s", 100.0 * s->share, 100.0 * s->low,
                 100.0 * s->high,
                 s->verdict == LAB_SPEED_MEASURED ? "" : lab_speed_verdict_name(s->verdict));
}

enum { LEAST_NAME = 7, MOST_NAME = 40 };

/* The student's name in a column; of a long one the end, which differs. */
static void print_name(const char *name, int width, FILE *stream)
{
    const int all = lab_printable_width(name, LAB_OUTCOME_NAME);
    const char *from = name;
    while (lab_printable_width(from, LAB_OUTCOME_NAME) > width - (from > name ? 3 : 0))
        from += lab_printable_bytes(from, 1) ? lab_printable_bytes(from, 1) : 1;
    fprintf(stream, "%s%s%*s", from > name ? "..." : "", from, all < width ? width - all : 0, "");
}

static void print_line(const struct lab_outcome *outcome, int width, bool timed, FILE *stream)
{
    char speed[48];
    int tests, goals, good = lab_outcome_passed(outcome, false, &tests);
    int reached = lab_outcome_passed(outcome, true, &goals);
    bool colour = isatty(fileno(stream));
    const char *on = !colour                           ? ""
                     : outcome->status == LAB_CHECK_OK ? "\033[32m"
                     : !lab_outcome_judged(outcome)    ? "\033[33m"
                                                       : "\033[1;31m";
    char points[16] = "-";
    if (lab_outcome_judged(outcome))
        snprintf(points, sizeof points, "%.1f", outcome->points);
    print_name(outcome->student, width, stream);
    fprintf(stream, "  %s%-17s%s  %2d/%-2d  %d/%d  %6s  %5.1f s  ", on, verdict_of(outcome),
            colour ? "\033[0m" : "", good, tests, reached, goals, points, outcome->seconds);
    speed_of(outcome, speed);
    if (timed)
        fprintf(stream, "%-34s  ", speed);
    const struct lab_outcome_test *left_out = lab_outcome_left_out(outcome);
    const char *what = outcome->message[0] ? outcome->message
                       : left_out          ? left_out->message
                                           : lab_outcome_warning(outcome);
    const int bytes = lab_printable_bytes(what, 70);
    fprintf(stream, "%.*s%s\n", bytes, what, what[bytes] ? " ..." : "");
}

void lab_grading_table(const struct lab_grading *grading, FILE *stream)
{
    int width = LEAST_NAME, right = 0, open = 0, broken = 0;
    for (int i = 0; i < grading->count; i++) {
        int length = lab_printable_width(grading->outcomes[i]->student, LAB_OUTCOME_NAME);
        width = length > MOST_NAME ? MOST_NAME : length > width ? length : width;
        right += grading->outcomes[i]->status == LAB_CHECK_OK;
        open += !lab_outcome_judged(grading->outcomes[i]);
        broken += grading->outcomes[i]->status == LAB_CHECK_INTERNAL_ERROR;
    }
    bool timed = grading->device[0] != '\0';
    fprintf(stream, "%s: %s (runtime %s; %s%s%s)\n\n", grading->target, grading->title,
            grading->runtime, grading->confinement, timed ? "; timed on " : "", grading->device);
    fprintf(stream, "%-*s  %-17s  %5s  %5s  %6s  %7s  ", width, "student", "verdict", "tests",
            "goals", "points", "time");
    if (timed)
        fprintf(stream, "%-34s  ", "share of the solution's speed");
    fputs("what\n", stream);
    for (int i = 0; i < grading->count; i++)
        print_line(grading->outcomes[i], width, timed, stream);
    fprintf(stream, "\n%d of %d right\n", right, grading->count - open);
    if (broken)
        fprintf(stream,
                "%d not judged: the lab itself broke, which is no fault of a kernel's; the same "
                "command judges %s again\n",
                broken, broken == 1 ? "it" : "them");
    open -= broken;
    if (open)
        fprintf(stream,
                "%d not judged: what the simulator does not know is no fault of a kernel's; look "
                "at %s yourself, or on a GPU: ./run %s --source FILE.cu\n",
                open, open == 1 ? "it" : "them", grading->target);
}

static void print_test(const struct lab_outcome_test *test, bool tells_hidden, FILE *stream)
{
    const char *word = test->passed                             ? "ok  "
                       : test->status == LAB_CHECK_NOT_RUN      ? "-   "
                       : lab_check_status_is_open(test->status) ? "?   "
                                                                : "FAIL";
    fprintf(stream, "  %s  %s", word, test->visible ? test->name : "a size that is not shown");
    bool timed = test->speed.verdict != LAB_SPEED_NOT_TAKEN;
    if (timed || test->status == LAB_CHECK_NOT_RUN)
        fprintf(stream, "%s%s", test->message[0] ? ": " : "", test->message);
    else if (test->is_goal && test->status == LAB_CHECK_OK) {
        /* no more of it: the figures tell the size, and their last digits what a kernel likes */
        if (test->solution > 0.0)
            fprintf(stream, ": %.2f times the solution's", test->got / test->solution);
        else if (test->passed || test->got > 0.0)
            fprintf(stream, ": %s", test->got > 0.0 ? "some, the solution's none" : "none");
    }
    if (!test->passed && test->status != LAB_CHECK_NOT_RUN && test->status != LAB_CHECK_OK &&
        (test->visible || tells_hidden))
        fprintf(stream, ": %s", lab_check_status_name(test->status));
    if (!test->passed && !timed && test->visible && test->message[0] &&
        test->status != LAB_CHECK_NOT_RUN && (!test->is_goal || test->status == LAB_CHECK_OK))
        fprintf(stream, ": %s", test->message);
    fputc('\n', stream);
}

/* Writes how many points the simulator's limits or a fault of the lab leave open, and why, if that
 * is not a secret of a hidden test: a kernel could choose it. */
static void put_open(const struct lab_outcome *outcome, bool tells_hidden, FILE *stream)
{
    const struct lab_outcome_test *test = lab_outcome_unknown(outcome);
    double open = 0.0;
    for (int i = 0; i < outcome->test_count; i++)
        open += lab_check_status_is_open(outcome->tests[i].status) ? outcome->tests[i].most : 0.0;
    if (test && lab_outcome_judged(outcome))
        fprintf(stream, "%.1f points more are not judged: ", open);
    if (test || !lab_outcome_judged(outcome))
        fprintf(stream, "%s\n%s\n",
                test && !test->visible && !tells_hidden ? "a test that is not shown has no verdict"
                : test                                  ? test->message
                                                        : outcome->message,
                outcome->status == LAB_CHECK_INTERNAL_ERROR
                    ? "It will be judged again."
                    : "A grader with a GPU decides, or the instructor.");
}

void lab_grading_feedback(const struct lab_grading *grading, const struct lab_outcome *outcome,
                          FILE *stream)
{
    fprintf(stream, "%s: %s\n%s\n\n", grading->target, grading->title, outcome->student);
    const bool tells_hidden = grading->settings->hidden_feedback;
    if (lab_outcome_judged(outcome))
        fprintf(stream, "%s, %.1f of %.1f points\n",
                !tells_hidden && lab_outcome_is_secret(outcome) ? "a test that is not shown failed"
                                                                : verdict_of(outcome),
                outcome->points, outcome->most);
    else
        fputs("not judged, and no points yet\n", stream);
    put_open(outcome, tells_hidden, stream);
    if (lab_outcome_warning(outcome)[0])
        fprintf(stream, "warning: %s\n", lab_outcome_warning(outcome));
    if (outcome->test_count == 0 && lab_outcome_judged(outcome))
        fprintf(stream, "%s\n", outcome->message);
    if (outcome->status == LAB_CHECK_BUILD_ERROR && outcome->compiler[0])
        fprintf(stream, "\n%s\n", outcome->compiler);
    if (outcome->test_count)
        fputc('\n', stream);
    for (int i = 0; i < outcome->test_count; i++)
        print_test(&outcome->tests[i], tells_hidden, stream);
    if (outcome->status != LAB_CHECK_OK && lab_outcome_judged(outcome))
        fprintf(stream,
                "\nTry it yourself: ./run %s --source FILE.cu --runtime sim; "
                "./run hint %s helps on.\n",
                grading->target, grading->target);
}
