/* Outcomes: points, and keeping them. */
#include "grade/outcome/outcome.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Begins a kept outcome; the last digit rises when the struct's meaning changes. */
static const char MARK[8] = "LABOUT8";

enum { SHOWN, HIDDEN, GOALS, SHARES };

static int share_of(const struct lab_outcome_test *test)
{
    return test->is_goal ? GOALS : test->visible ? SHOWN : HIDDEN;
}

bool lab_outcome_judged(const struct lab_outcome *outcome)
{
    return !lab_check_status_is_open(outcome->status);
}

const struct lab_outcome_test *lab_outcome_unknown(const struct lab_outcome *outcome)
{
    for (int i = 0; i < outcome->test_count; i++)
        if (lab_check_status_is_open(outcome->tests[i].status))
            return &outcome->tests[i];
    return NULL;
}

bool lab_outcome_is_secret(const struct lab_outcome *outcome)
{
    for (int i = 0; i < outcome->test_count; i++) {
        const struct lab_outcome_test *const test = &outcome->tests[i];
        if (test->status == outcome->status && test->status != LAB_CHECK_OK)
            return !test->visible || test->is_goal;
    }
    return false;
}

/* A file as it was given passes some tests, all of them where its kernel is right and slow. */
static bool does_more(const struct lab_outcome *outcome, const struct lab_outcome *given)
{
    for (int i = 0; i < outcome->test_count; i++)
        if (outcome->tests[i].scored && outcome->tests[i].passed &&
            (!given || i >= given->test_count || !given->tests[i].passed))
            return true;
    return false;
}

void lab_outcome_score(struct lab_outcome *outcome, const struct lab_outcome *given,
                       const struct lab_settings *settings)
{
    int passed = 0;
    const double weights[SHARES] = {settings->shown, settings->hidden, settings->goals};
    int counts[SHARES] = {0};
    double whole = 0.0;
    for (int i = 0; i < outcome->test_count; i++)
        counts[share_of(&outcome->tests[i])] += outcome->tests[i].scored;
    for (int s = 0; s < SHARES; s++)
        whole += counts[s] ? weights[s] : 0.0;
    outcome->points = 0.0;
    outcome->most = settings->points;
    for (int i = 0; i < outcome->test_count; i++) {
        struct lab_outcome_test *test = &outcome->tests[i];
        int s = share_of(test);
        test->most =
            whole > 0.0 && test->scored ? settings->points * weights[s] / whole / counts[s] : 0.0;
        passed += test->scored && test->passed;
        test->points = test->passed ? test->most : 0.0;
        outcome->points += test->points;
    }
    outcome->is_as_given = passed && !does_more(outcome, given);
    for (int i = 0; i < outcome->test_count && outcome->is_as_given; i++)
        outcome->points = outcome->tests[i].points = 0.0;
}

int lab_outcome_passed(const struct lab_outcome *outcome, bool goals, int *count)
{
    int passed = 0;
    *count = 0;
    for (int i = 0; i < outcome->test_count; i++)
        if (outcome->tests[i].is_goal == goals && (!goals || outcome->tests[i].scored)) {
            ++*count;
            passed += outcome->tests[i].passed;
        }
    return passed;
}

const struct lab_outcome_test *lab_outcome_timed(const struct lab_outcome *outcome)
{
    for (int i = 0; i < outcome->test_count; i++)
        if (outcome->tests[i].speed.verdict != LAB_SPEED_NOT_TAKEN)
            return &outcome->tests[i];
    return NULL;
}

const struct lab_outcome_test *lab_outcome_left_out(const struct lab_outcome *outcome)
{
    for (int i = 0; i < outcome->test_count; i++)
        if (outcome->tests[i].status == LAB_CHECK_NOT_RUN && outcome->tests[i].message[0])
            return &outcome->tests[i];
    return lab_outcome_unknown(outcome);
}

const char *lab_outcome_warning(const struct lab_outcome *outcome)
{
    return outcome->is_as_given
               ? "it passes no more than the file as it was given, which gives no points"
           : outcome->prints ? "it prints, which costs no points: remove it before you hand in"
                             : "";
}

double lab_outcome_share(const struct lab_outcome_test *test)
{
    return test->speed.verdict == LAB_SPEED_IMPOSSIBLE ? 0.0 : test->speed.share;
}

bool lab_outcome_is_right(const struct lab_outcome *outcome)
{
    bool all = outcome->status == LAB_CHECK_OK && !outcome->is_as_given && !outcome->message[0] &&
               !outcome->compiler[0] && outcome->test_count > 0;
    for (int i = 0; i < outcome->test_count; i++) {
        const struct lab_outcome_test *const test = &outcome->tests[i];
        const enum lab_speed_verdict speed = test->speed.verdict;
        all = all && test->status == LAB_CHECK_OK &&
              (test->is_goal || (test->passed && !test->message[0])) &&
              (speed == LAB_SPEED_NOT_TAKEN || speed == LAB_SPEED_MEASURED ||
               speed == LAB_SPEED_REACHED);
    }
    return all;
}

bool lab_outcome_save_of(const struct lab_outcome *outcome, const char *text, size_t size,
                         const char *path)
{
    char beside[4200];
    snprintf(beside, sizeof beside, "%.4000s.XXXXXX", path);
    const int descriptor = mkostemp(beside, O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    bool written = file && fwrite(MARK, sizeof MARK, 1, file) == 1 &&
                   fwrite(outcome, sizeof *outcome, 1, file) == 1 &&
                   fwrite(text, 1, size, file) == size;
    if (file && fclose(file) != 0)
        written = false;
    if (written && rename(beside, path) == 0)
        return true;
    if (descriptor >= 0)
        unlink(beside);
    return false;
}

bool lab_outcome_save(const struct lab_outcome *outcome, const char *path)
{
    return lab_outcome_save_of(outcome, "", 0, path);
}

/* Whether this text, and nothing else, is left in a file. */
static bool is_rest(FILE *file, const char *text, size_t size)
{
    size_t same = 0;
    int c;
    while ((c = getc(file)) != EOF && same < size && (unsigned char)text[same] == c)
        same++;
    return c == EOF && same == size && !ferror(file);
}

bool lab_outcome_load_of(struct lab_outcome *outcome, const char *text, size_t size,
                         const char *path)
{
    char mark[sizeof MARK];
    FILE *file = fopen(path, "rb");
    bool read = file && fread(mark, sizeof mark, 1, file) == 1 &&
                memcmp(mark, MARK, sizeof mark) == 0 &&
                fread(outcome, sizeof *outcome, 1, file) == 1 && is_rest(file, text, size);
    if (file)
        fclose(file);
    return read && outcome->test_count >= 0 && outcome->test_count <= LAB_PLAN_MOST;
}

bool lab_outcome_load(struct lab_outcome *outcome, const char *path)
{
    return lab_outcome_load_of(outcome, "", 0, path);
}
