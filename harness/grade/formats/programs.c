/* Reports for programs: JSON, CSV, JUnit, Gradescope. All texts are escaped, because they come from
 * students' files. */
#include "grade/formats/formats.h"

#include "base/json_writer.h"
#include "base/status.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* --- JSON --------------------------------------------------------------------------------------*/

/* Whether a test is a goal with a figure: a counter or a modelled speed. */
static bool has_figure(const struct lab_outcome_test *test)
{
    return test->is_goal && test->status == LAB_CHECK_OK &&
           test->speed.verdict == LAB_SPEED_NOT_TAKEN;
}

static void put_speed(struct lab_json_writer *w, const struct lab_speed *speed)
{
    lab_json_begin(w, "speed", '{');
    lab_json_string(w, "verdict", lab_speed_verdict_name(speed->verdict));
    lab_json_bool(w, "rehearsed", speed->rehearsed);
    lab_json_number(w, "share", speed->share);
    lab_json_number(w, "low", speed->low);
    lab_json_number(w, "high", speed->high);
    lab_json_number(w, "confidence", speed->confidence);
    if (speed->bar > 0.0)
        lab_json_number(w, "asked", speed->bar);
    lab_json_number(w, "time_ms", speed->submission_ms);
    lab_json_number(w, "solution_ms", speed->solution_ms);
    lab_json_number(w, "least_possible_ms", speed->floor_ms);
    lab_json_integer(w, "pairs", speed->pairs);
    lab_json_end(w, '}');
}

static const char *kind_of(const struct lab_outcome_test *test)
{
    return !test->scored ? "figure" : test->is_goal ? "goal" : "test";
}

/* Writes null rather than 0 where the simulator's limits leave no verdict. */
static void put_figure(struct lab_json_writer *w, const char *name, bool known, double value)
{
    if (known)
        lab_json_number(w, name, value);
    else
        lab_json_null(w, name);
}

static void put_test(struct lab_json_writer *w, const struct lab_outcome_test *test, bool judged)
{
    const bool known = !lab_check_status_is_open(test->status);
    lab_json_begin(w, NULL, '{');
    lab_json_string(w, "name", test->name);
    lab_json_string(w, "kind", kind_of(test));
    lab_json_string(w, "options", test->options);
    lab_json_bool(w, "shown", test->visible);
    if (known)
        lab_json_bool(w, "passed", test->passed);
    else
        lab_json_null(w, "passed");
    if (test->status != LAB_CHECK_NOT_RUN) {
        lab_json_begin(w, "check", '{');
        lab_json_string(w, "status", lab_check_status_name(test->status));
        lab_json_string(w, "message", test->message);
        lab_json_end(w, '}');
    }
    if (test->status == LAB_CHECK_NOT_RUN && test->message[0])
        lab_json_string(w, "left_out", test->message);
    if (has_figure(test)) {
        lab_json_number(w, "figure", test->got);
        lab_json_number(w, "solution", test->solution);
    }
    if (test->speed.verdict != LAB_SPEED_NOT_TAKEN)
        put_speed(w, &test->speed);
    put_figure(w, "points", judged && known, test->points);
    lab_json_number(w, "max_points", test->most);
    lab_json_end(w, '}');
}

static void put_outcome(struct lab_json_writer *w, const struct lab_outcome *outcome)
{
    lab_json_begin(w, NULL, '{');
    lab_json_string(w, "student", outcome->student);
    lab_json_string(w, "file", outcome->file);
    if (outcome->sha256[0])
        lab_json_string(w, "sha256", outcome->sha256);
    const bool judged = lab_outcome_judged(outcome);
    lab_json_begin(w, "check", '{');
    if (judged || outcome->status == LAB_CHECK_INTERNAL_ERROR)
        lab_json_string(w, "status", lab_check_status_name(outcome->status));
    else
        lab_json_null(w, "status");
    lab_json_string(w, "message", outcome->message);
    lab_json_end(w, '}');
    if (outcome->compiler[0])
        lab_json_string(w, "compiler", outcome->compiler);
    if (lab_outcome_warning(outcome)[0])
        lab_json_string(w, "warning", lab_outcome_warning(outcome));
    lab_json_bool(w, "isolated", outcome->isolated);
    if (outcome->is_equal)
        lab_json_bool(w, "judged_by_equal_file", true);
    lab_json_number(w, "seconds", outcome->seconds);
    put_figure(w, "points", judged, outcome->points);
    lab_json_number(w, "max_points", outcome->most);
    lab_json_begin(w, "tests", '[');
    for (int i = 0; i < outcome->test_count; i++)
        put_test(w, &outcome->tests[i], judged);
    lab_json_end(w, ']');
    lab_json_end(w, '}');
}

void lab_grading_json(const struct lab_grading *grading, FILE *stream)
{
    struct lab_json_writer writer = {.stream = stream}, *w = &writer;
    char date[32];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    lab_json_begin(w, NULL, '{');
    lab_json_integer(w, "schema", 1);
    lab_json_string(w, "target", grading->target);
    lab_json_string(w, "date", date);
    lab_json_string(w, "commit", grading->commit);
    lab_settings_put(grading->settings, w, "settings");
    lab_json_string(w, "runtime", grading->runtime);
    if (grading->device[0]) {
        lab_json_begin(w, "device", '{');
        lab_json_string(w, "name", grading->device);
        lab_json_end(w, '}');
    }
    lab_json_string(w, "confinement", grading->confinement);
    lab_json_begin(w, "submissions", '[');
    for (int i = 0; i < grading->count; i++)
        put_outcome(w, grading->outcomes[i]);
    lab_json_end(w, ']');
    lab_json_end(w, '}');
    fputc('\n', stream);
}

/* --- Gradescope --------------------------------------------------------------------------------*/

/* A test without a score is shown and counts for nothing. */
static void put_gradescope_test(struct lab_json_writer *w, const struct lab_settings *settings,
                                const struct lab_outcome_test *test, int number)
{
    char name[64];
    const bool is_told = test->visible || settings->hidden_feedback;
    snprintf(name, sizeof name, "hidden test %d", number);
    lab_json_begin(w, NULL, '{');
    lab_json_string(w, "name", is_told ? test->name : name);
    const bool is_open = lab_check_status_is_open(test->status);
    if (!is_open) {
        lab_json_number(w, "score", test->points);
        lab_json_number(w, "max_score", test->most);
        lab_json_string(w, "status", test->passed ? "passed" : "failed");
    }
    const bool has_cause = is_told && (!test->is_goal || test->status == LAB_CHECK_OK ||
                                       settings->hidden_feedback); /* a goal's sizes are drawn */
    const char *const cause = has_cause ? test->message : "not judged, and no points are lost";
    char output[1200];
    snprintf(output, sizeof output, "%s%s%s", lab_check_status_name(test->status),
             *cause ? ": " : "", cause);
    lab_json_string(w, "output",
                    has_cause || is_open ? output
                    : test->passed       ? "passed"
                                         : "failed");
    lab_json_string(w, "visibility",
                    test->visible ? settings->visibility : settings->hidden_visibility);
    lab_json_end(w, '}');
}

/* A leaderboard ranks the figures of goals, in hundredths of the solution's: more digits would tell
 * the sizes. A lower counter is better. A time that cannot be believed is not ranked. */
static void put_leaderboard(struct lab_json_writer *w, const struct lab_settings *settings,
                            const struct lab_outcome *outcome)
{
    const bool shows_hidden = strcmp(settings->hidden_visibility, "visible") == 0;
    double share = 0.0, points = 0.0;
    for (int i = 0; i < outcome->test_count; i++)
        points += shows_hidden || outcome->tests[i].visible ? outcome->tests[i].points : 0.0;
    lab_json_begin(w, "leaderboard", '[');
    lab_json_begin(w, NULL, '{');
    lab_json_string(w, "name", shows_hidden ? "points" : "points without hidden tests");
    lab_json_number(w, "value", points);
    lab_json_end(w, '}');
    for (int i = 0; i < outcome->test_count; i++) {
        const struct lab_outcome_test *test = &outcome->tests[i];
        if (test->speed.verdict != LAB_SPEED_NOT_TAKEN)
            share = lab_outcome_share(test);
        if (!has_figure(test))
            continue;
        lab_json_begin(w, NULL, '{');
        lab_json_string(w, "name", test->name);
        lab_json_number(w, "value",
                        test->solution > 0.0 ? rint(100.0 * test->got / test->solution) / 100.0
                                             : test->got > 0.0);
        lab_json_string(w, "order", "asc");
        lab_json_end(w, '}');
    }
    if (share > 0.0) {
        lab_json_begin(w, NULL, '{');
        lab_json_string(w, "name", "share of the solution's speed");
        lab_json_number(w, "value", share);
        lab_json_end(w, '}');
    }
    lab_json_end(w, ']');
}

void lab_grading_gradescope(const struct lab_grading *grading, const struct lab_outcome *outcome,
                            FILE *stream)
{
    struct lab_json_writer writer = {.stream = stream}, *w = &writer;
    char output[LAB_OUTCOME_COMPILER + 1400];
    snprintf(output, sizeof output, "%s%s%s%s%s", lab_check_status_name(outcome->status),
             outcome->message[0] ? ": " : "", outcome->test_count ? "" : outcome->message,
             outcome->compiler[0] ? "\n" : "", outcome->compiler);
    if (!grading->settings->hidden_feedback && lab_outcome_is_secret(outcome))
        snprintf(output, sizeof output, "a test that is not shown failed");
    if (lab_outcome_warning(outcome)[0])
        snprintf(output + strlen(output), sizeof output - strlen(output), "\nwarning: %s",
                 lab_outcome_warning(outcome));
    lab_json_begin(w, NULL, '{');
    lab_json_number(w, "score", outcome->points);
    lab_json_number(w, "execution_time", outcome->seconds);
    lab_json_string(w, "output", output);
    lab_json_string(w, "visibility", grading->settings->visibility);
    lab_json_string(w, "stdout_visibility", "hidden");
    lab_json_begin(w, "tests", '[');
    for (int i = 0; i < outcome->test_count; i++)
        if (outcome->tests[i].scored)
            put_gradescope_test(w, grading->settings, &outcome->tests[i], i + 1);
    lab_json_end(w, ']');
    if (grading->settings->leaderboard)
        put_leaderboard(w, grading->settings, outcome);
    lab_json_end(w, '}');
    fputc('\n', stream);
}

/* --- CSV ---------------------------------------------------------------------------------------*/

/* Whether a spreadsheet takes a text for a formula, by its first character. In some countries that
 * may also be a full-width character. */
static bool is_formula(const char *text)
{
    static const char *const signs[] = {"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            return true;
    return false;
}

/* Writes a quoted field; a formula gets an apostrophe. */
static void put_field(FILE *stream, const char *text, const char *after)
{
    fputc('"', stream);
    if (is_formula(text))
        fputc('\'', stream);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            fputc('"', stream);
        fputc(*c == '\n' || *c == '\r' ? ' ' : *c, stream);
    }
    fprintf(stream, "\"%s", after);
}

static void put_speed_fields(FILE *stream, const struct lab_outcome_test *test)
{
    const struct lab_speed *s = test ? &test->speed : NULL;
    if (s)
        fprintf(stream, "%s,%.4g,%.4g,%.4g,", lab_speed_verdict_name(s->verdict), s->share, s->low,
                s->high);
    else
        fputs(",,,,", stream);
}

void lab_grading_csv(const struct lab_grading *grading, FILE *stream)
{
    fputs("student,file,status,tests_passed,tests,goals_reached,goals,points,max_points,seconds,"
          "speed,share,share_low,share_high,message\r\n",
          stream);
    for (int i = 0; i < grading->count; i++) {
        const struct lab_outcome *o = grading->outcomes[i];
        int goals, reached = lab_outcome_passed(o, true, &goals);
        int tests, passed = lab_outcome_passed(o, false, &tests);
        put_field(stream, o->student, ",");
        put_field(stream, o->file, ",");
        fprintf(stream, "%s,%d,%d,%d,%d,", lab_check_status_name(o->status), passed, tests, reached,
                goals);
        if (lab_outcome_judged(o)) /* otherwise the field is empty rather than 0 */
            fprintf(stream, "%.4g", o->points);
        fprintf(stream, ",%.4g,%.2f,", o->most, o->seconds);
        put_speed_fields(stream, lab_outcome_timed(o));
        put_field(stream, o->message[0] ? o->message : lab_outcome_warning(o), "\r\n");
    }
}

/* --- JUnit -------------------------------------------------------------------------------------*/

/* XML has no control characters, not even escaped. */
static void put_xml(FILE *stream, const char *text)
{
    for (const char *c = text; *c;) {
        int length = lab_utf8_length(c);
        const char *entity = *c == '&'   ? "&amp;"
                             : *c == '<' ? "&lt;"
                             : *c == '>' ? "&gt;"
                             : *c == '"' ? "&quot;"
                             : length    ? NULL
                                         : "?";
        if (entity)
            fputs(entity, stream);
        else
            fwrite(c, 1, (size_t)length, stream);
        c += length ? length : 1;
    }
}

static void put_attribute(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, " %s=\"", name);
    put_xml(stream, text);
    fputc('"', stream);
}

/* The type of a failure. A goal that is missed has no fault. */
static const char *failure_type(const struct lab_outcome_test *test)
{
    if (test->status != LAB_CHECK_OK)
        return lab_check_status_name(test->status);
    return test->speed.verdict != LAB_SPEED_NOT_TAKEN ? lab_speed_verdict_name(test->speed.verdict)
                                                      : "missed";
}

/* JUnit's word for what became of a test: "skipped" if it was not reached, or the simulator's
 * limits leave it without a verdict; "error" if a fault of the lab does. */
static const char *element_of(const struct lab_outcome_test *test)
{
    switch (test->status) {
    case LAB_CHECK_NOT_RUN:
    case LAB_CHECK_UNSUPPORTED:
        return "skipped";
    case LAB_CHECK_INTERNAL_ERROR:
        return "error";
    default:
        return test->passed ? "" : "failure";
    }
}

static void put_case(FILE *stream, const char *student, const struct lab_outcome_test *test)
{
    const char *name = test->name, *message = test->message;
    const char *const element = element_of(test);
    fputs("    <testcase", stream);
    put_attribute(stream, "name", name);
    put_attribute(stream, "classname", student);
    fprintf(stream, " time=\"%.6f\"", 1e-3 * test->speed.submission_ms);
    if (!element[0]) {
        fputs("/>\n", stream);
        return;
    }
    const bool is_skipped = strcmp(element, "skipped") == 0;
    fprintf(stream, "><%s", element);
    if (!is_skipped)
        put_attribute(stream, "type", failure_type(test));
    if (!is_skipped || message[0])
        put_attribute(stream, "message", message);
    fputs("/></testcase>\n", stream);
}

static void put_suite(const struct lab_grading *grading, int number, FILE *stream)
{
    const struct lab_outcome *o = grading->outcomes[number];
    struct lab_outcome_test built = {.name = "builds and is allowed", .status = o->status};
    const struct lab_outcome_test *const tests = o->test_count ? o->tests : &built;
    const int count = o->test_count ? o->test_count : 1;
    int failures = 0, errors = 0, skipped = 0;
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", gmtime(&now));
    snprintf(built.message, sizeof built.message, "%s", o->message);
    for (int i = 0; i < count; i++) {
        const char *const element = element_of(&tests[i]);
        failures += strcmp(element, "failure") == 0;
        errors += strcmp(element, "error") == 0;
        skipped += strcmp(element, "skipped") == 0;
    }
    fputs("  <testsuite", stream);
    put_attribute(stream, "package", grading->target);
    put_attribute(stream, "name", o->student);
    fprintf(stream,
            " id=\"%d\" timestamp=\"%s\" hostname=\"localhost\" tests=\"%d\" failures=\"%d\" "
            "errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n    <properties/>\n",
            number, date, count, failures, errors, skipped, o->seconds);
    for (int i = 0; i < count; i++)
        put_case(stream, o->student, &tests[i]);
    const struct lab_outcome_test *timed = lab_outcome_timed(o);
    fputs("    <system-out>", stream);
    put_xml(stream, timed ? timed->message : "");
    fputs("</system-out>\n    <system-err>", stream);
    put_xml(stream, o->compiler);
    put_xml(stream, o->compiler[0] && lab_outcome_warning(o)[0] ? "\n" : "");
    put_xml(stream, lab_outcome_warning(o));
    fputs("</system-err>\n  </testsuite>\n", stream);
}

void lab_grading_junit(const struct lab_grading *grading, FILE *stream)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", stream);
    for (int i = 0; i < grading->count; i++)
        put_suite(grading, i, stream);
    fputs("</testsuites>\n", stream);
}
