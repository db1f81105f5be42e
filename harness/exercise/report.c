/* A row says what it tried, what came of it, and where; the same fault at the same place is told
 * once. In a small window or terminal only the first fault of a kind is told in full. */
#include "exercise/report.h"

#include "base/figure.h"
#include "base/paths.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/wrapped.h"
#include "exercise/limit.h"
#include "report/json.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 4096 };

int lab_report_count(const struct lab_report *report, enum lab_goal_run_verdict verdict)
{
    int count = 0;
    for (int i = 0; i < report->count; i++)
        count += report->lines[i].verdict == verdict;
    return count;
}

/* --- for people --------------------------------------------------------------------------------*/

/* At one place, or told in the same words. */
static bool is_same_fault(const struct lab_check *a, const struct lab_check *b)
{
    const bool same_place = a->line && a->line == b->line && strcmp(a->file, b->file) == 0;
    return a->status == b->status && (same_place || strcmp(a->message, b->message) == 0);
}

static bool is_of_known_kind(const struct lab_report *report, const struct lab_check *check)
{
    for (int i = 0; i < report->count - 1; i++)
        if (report->lines[i].check.status == check->status)
            return true;
    return false;
}

/* The earlier row that told of it, or -1; where room is for one, of a fault of the kind, unless
 * this one is the first whose values tell a cause. */
static int find_known(const struct lab_report *report, const struct lab_check *check, bool of_kind)
{
    for (int i = 0; i < report->count - 1; i++) {
        const struct lab_check *const earlier = &report->lines[i].check;
        const bool tells_more = check->is_explained && !earlier->is_explained;
        if (is_same_fault(earlier, check) ||
            (of_kind && earlier->status == check->status && !tells_more))
            return i;
    }
    return -1;
}

/* A row's advice about the output, without who stored it. */
static void put_advice(const struct lab_check *check, char *text, size_t size)
{
    snprintf(text, size, "%s", check->advice_at ? check->message + check->advice_at : "");
    char *const stored = strstr(text, "; that value was stored at ");
    if (stored)
        *stored = '\0';
}

/* The earlier row whose advice this one repeats, or -1; `length` is that of the message before. */
static int find_told(const struct lab_report *report, const struct lab_check *check, size_t *length)
{
    for (int i = 0; i < report->count - 1; i++) {
        const struct lab_check *const earlier = &report->lines[i].check;
        char advice[sizeof earlier->message];
        put_advice(earlier, advice, sizeof advice);
        const char *const found =
            earlier->status == check->status && *advice ? strstr(check->message, advice) : NULL;
        const char *const end = found ? found + strlen(advice) : NULL;
        if (!found || (*end != '\0' && strncmp(end, "; that value", 12) != 0))
            continue;
        *length = (size_t)(found - check->message);
        return i;
    }
    return -1;
}

/* Whether another row of the kind knows a cause, and this one has the general advice alone. */
static bool is_worse(const struct lab_report *report, const struct lab_check *check)
{
    static const char general[] = "; look at ";
    if (check->is_explained || !check->advice_at ||
        strncmp(check->message + check->advice_at, general, strlen(general)) != 0)
        return false;
    for (int i = 0; i < report->count - 1; i++)
        if (report->lines[i].check.status == check->status && report->lines[i].check.is_explained)
            return true;
    return false;
}

/* "as above", or which row that was, where another one has told something since. */
static void put_above(const struct lab_report *report, int known, char *text, size_t size)
{
    const struct lab_report_line *const told = &report->lines[known];
    if (known == report->last_told)
        snprintf(text, size, "as above");
    else
        snprintf(text, size, "as for %s", told->goal ? told->goal->options : told->options);
}

static void put_check(struct lab_report *report, const char *options, char *text, size_t size)
{
    const struct lab_check *const check = &report->lines[report->count - 1].check;
    const int known = find_known(report, check, false);
    const bool is_short = known >= 0 || (report->is_brief && find_known(report, check, true) >= 0);
    const char *const path = lab_shown_path(check->file), *const slash = strrchr(path, '/');
    char place[640] = "", above[200] = "";
    size_t before = strlen(check->message);
    if (check->file[0] && check->line) /* where it was told, its folder was, too */
        snprintf(place, sizeof place, " at %s:%d",
                 known >= 0 && report->is_brief && slash ? slash + 1 : path, check->line);
    if (known >= 0)
        put_above(report, known, above, sizeof above);
    if (is_short) {
        if (known < 0 && !report->left_out)
            report->left_out = options;
        snprintf(text, size, "%s%s%s%s", lab_check_status_name(check->status), place,
                 known < 0 ? "" : ", ", above);
        return;
    }
    const int told = report->is_open ? -1 : find_told(report, check, &before);
    if (report->is_open || (told < 0 && is_worse(report, check)))
        before = check->advice_at ? check->advice_at : before;
    else if (told < 0)
        report->last_told = report->count - 1;
    else
        put_above(report, told, above, sizeof above);
    if (report->is_brief && is_of_known_kind(report, check)) {
        char advice[sizeof check->message];
        put_advice(check, advice, sizeof advice);
        snprintf(text, size, "%s%s", lab_check_status_name(check->status), advice);
        return;
    }
    snprintf(text, size, "%s%s: %.*s%s%s", lab_check_status_name(check->status), place, (int)before,
             check->message, *above ? "; " : "", above);
}

/* Whether a goal before the last line was missed. */
static bool has_missed(const struct lab_report *report)
{
    for (int i = 0; i < report->count - 1; i++)
        if (report->lines[i].goal && report->lines[i].verdict != LAB_GOAL_RUN_PASSED)
            return true;
    return false;
}

/* Whether a goal before the last line was missed, and told a cause that goals share. */
static bool has_told_shared(const struct lab_report *report)
{
    for (int i = 0; i < report->count - 1; i++) {
        const struct lab_report_line *const line = &report->lines[i];
        if (line->goal && line->verdict != LAB_GOAL_RUN_PASSED &&
            (*line->outcome.repeated || *line->outcome.more))
            return true;
    }
    return false;
}

/* The figure beside the solution's: in a window, of all goals but the first that is missed. */
static void put_short_figures(const struct lab_report_line *line, char *text, size_t size)
{
    char got[LAB_FIGURE_BYTES], solution[LAB_FIGURE_BYTES];
    lab_figure_write(got, line->outcome.got);
    lab_figure_write(solution, line->outcome.solution);
    snprintf(text, size, "%s: %s, the solution's %s", line->goal->label, got, solution);
}

/* The figure, and what is asked: "12,288, at most 1.05 x the solution's 8,192". */
static void put_figures(const struct lab_report_line *line, char *text, size_t size)
{
    const struct lab_exercise_goal *goal = line->goal;
    char got[LAB_FIGURE_BYTES], solution[LAB_FIGURE_BYTES], factor[32] = "";
    lab_figure_write(got, line->outcome.got);
    lab_figure_write(solution, line->outcome.solution);
    if (goal->factor != 1.0 && line->outcome.solution != 0.0)
        snprintf(factor, sizeof factor, "%.4g x ", goal->factor);
    snprintf(text, size, "%s, %s %sthe solution's %s", got,
             goal->exactly ? "to be exactly"
             : goal->least ? "at least"
                           : "at most",
             factor, solution);
}

static void put_goal(const struct lab_report *report, const struct lab_report_line *line,
                     char *text, size_t size)
{
    const struct lab_goal_outcome *outcome = &line->outcome;
    const bool missed = line->verdict != LAB_GOAL_RUN_PASSED;
    const char *limit = lab_limit_words(outcome->limiter);
    char speed[512], figures[128];
    if (outcome->speed.verdict != LAB_SPEED_NOT_TAKEN) {
        lab_speed_text(&outcome->speed, speed, sizeof speed);
        snprintf(text, size, "speed (%s): %s", outcome->sizes, speed);
    } else if (outcome->local_bytes > 0) {
        snprintf(text, size,
                 "%s (%s; modelled): none, since the machine code has %zu bytes of each thread in "
                 "local memory (spilled registers, or arrays), which the model does not see",
                 line->goal->label, outcome->sizes, outcome->local_bytes);
        return;
    } else if (report->window.rows && (!missed || has_missed(report))) {
        put_short_figures(line, text, size);
        return;
    } else {
        const bool modelled = strcmp(line->goal->counter, "speed") == 0 && report->device->is_sim;
        put_figures(line, figures, sizeof figures);
        snprintf(text, size, "%s (%s%s): %s", line->goal->label, outcome->sizes,
                 modelled ? "; modelled" : "", figures);
    }
    if (missed && *outcome->repeated) { /* the goal's advice is for who does all of it once */
        snprintf(text + strlen(text), size - strlen(text), "; %s",
                 has_told_shared(report) ? "as above" : outcome->repeated);
        return;
    }
    if (missed && *limit)
        snprintf(text + strlen(text), size - strlen(text), "; limited by %s", limit);
    if (missed && outcome->sectors_each > 0.0)
        snprintf(text + strlen(text), size - strlen(text),
                 "; uncoalesced: %.4g sectors per %s, the solution's %.4g", outcome->sectors_each,
                 strstr(line->goal->counter, "_st.") ? "store" : "load", outcome->solution_each);
    const bool has_line = missed && (*outcome->line || *outcome->residents) && !report->is_open;
    if (has_line)
        snprintf(text + strlen(text), size - strlen(text), "; %s",
                 *outcome->line ? outcome->line : outcome->residents);
    if (missed && *outcome->more && has_told_shared(report))
        snprintf(text + strlen(text), size - strlen(text), "; this may come of the same; else %s",
                 line->goal->advice);
    else if (missed)
        snprintf(text + strlen(text), size - strlen(text), "%s%s%s%s",
                 *outcome->more || has_line ? "; " : ": ", outcome->more,
                 *outcome->more ? " Else " : "", line->goal->advice);
}

void lab_report_print_last(struct lab_report *report)
{
    static const char *const words[] = {"FAIL", "ok  ", "?   "};
    static const char *const colours[] = {"\033[1;31m", "\033[32m", "\033[33m"};
    const struct lab_report_line *line = &report->lines[report->count - 1];
    const bool colour = isatty(STDOUT_FILENO);
    char text[TEXT_BYTES], shown[TEXT_BYTES];
    if (line->check.status != LAB_CHECK_OK) {
        const char *const options = line->goal ? line->goal->options : line->options;
        snprintf(text, sizeof text, "%s: ", options);
        put_check(report, options, text + strlen(text), sizeof text - strlen(text));
    } else if (line->goal) {
        put_goal(report, line, text, sizeof text);
    } else {
        snprintf(text, sizeof text, "%s", line->options);
    }
    lab_printable(text, false, shown, sizeof shown);
    printf("  %s%s%s  ", colour ? colours[line->verdict] : "", words[line->verdict],
           colour ? "\033[0m" : "");
    lab_print_wrapped(stdout, (int)strlen("  FAIL  "), shown);
    puts("");
    fflush(stdout);
}

/* --- for programs ------------------------------------------------------------------------------*/

static void write_check(struct lab_json_writer *w, const struct lab_check *check)
{
    lab_json_string(w, "status", lab_check_status_name(check->status));
    if (check->message[0])
        lab_json_string(w, "message", check->message);
    if (check->file[0]) {
        lab_json_string(w, "file", check->file);
        lab_json_integer(w, "line", check->line);
    }
}

static void write_test(struct lab_json_writer *w, const char *options,
                       const struct lab_report_line *line)
{
    lab_json_string(w, "options", options);
    if (line)
        write_check(w, &line->check);
}

static void write_goal(struct lab_json_writer *w, const struct lab_exercise_goal *goal,
                       const struct lab_report_line *line)
{
    const bool has_sizes = line && line->outcome.sizes;
    lab_json_string(w, "options", has_sizes ? line->outcome.sizes : goal->options);
    lab_json_string(w, "label", goal->label);
    lab_json_string(w, "counter", goal->counter);
    lab_json_string(w, "bound", goal->exactly ? "exactly" : goal->least ? "least" : "most");
    lab_json_number(w, "factor", goal->factor);
    if (line)
        write_check(w, &line->check);
    if (!line || line->check.status != LAB_CHECK_OK)
        return;
    if (line->outcome.local_bytes > 0)
        lab_json_integer(w, "not_modelled_for_local_bytes", (long long)line->outcome.local_bytes);
    else
        lab_json_number(w, "got", line->outcome.got);
    if (line->outcome.local_bytes == 0 && line->outcome.speed.verdict == LAB_SPEED_NOT_TAKEN)
        lab_json_number(w, "solution", line->outcome.solution);
    if (line->outcome.limiter)
        lab_json_string(w, "limiter", line->outcome.limiter);
    if (line->verdict != LAB_GOAL_RUN_PASSED)
        lab_json_string(w, "advice",
                        *line->outcome.repeated ? line->outcome.repeated : goal->advice);
}

/* The tests come first. What was not tried has no status. */
static const struct lab_report_line *line_at(const struct lab_report *report, int i)
{
    return i < report->count ? &report->lines[i] : NULL;
}

static void write_end(struct lab_json_writer *w, const struct lab_report_line *line)
{
    lab_json_bool(w, "passed", line && line->verdict == LAB_GOAL_RUN_PASSED);
    lab_json_end(w, '}');
}

static void write_lines(struct lab_json_writer *w, const struct lab_report *report)
{
    const struct lab_exercise *exercise = report->exercise;
    lab_json_begin(w, "tests", '[');
    for (int i = 0; i < exercise->test_count; i++) {
        lab_json_begin(w, NULL, '{');
        write_test(w, exercise->tests[i], line_at(report, i));
        write_end(w, line_at(report, i));
    }
    lab_json_end(w, ']');
    lab_json_begin(w, "goals", '[');
    for (int i = 0; i < exercise->goal_count; i++) {
        const struct lab_report_line *line = line_at(report, exercise->test_count + i);
        lab_json_begin(w, NULL, '{');
        write_goal(w, &exercise->goals[i], line);
        write_end(w, line);
    }
    lab_json_end(w, ']');
}

/* That of the first line that failed, or else of the first that is not known. */
static const char *status_of(const struct lab_report *report)
{
    static const enum lab_goal_run_verdict order[] = {LAB_GOAL_RUN_FAILED, LAB_GOAL_RUN_UNKNOWN};
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (int i = 0; i < report->count; i++) {
            const struct lab_report_line *line = &report->lines[i];
            if (line->verdict == order[o])
                return line->check.status == LAB_CHECK_OK
                           ? "goal_missed"
                           : lab_check_status_name(line->check.status);
        }
    return lab_check_status_name(LAB_CHECK_OK);
}

static void write_report(struct lab_json_writer *w, const void *subject)
{
    const struct lab_report *report = subject;
    lab_json_string(w, "status",
                    report->unbuilt ? lab_check_status_name(LAB_CHECK_BUILD_ERROR)
                                    : status_of(report));
    if (report->unbuilt)
        lab_json_string(w, "message", report->unbuilt);
    lab_json_bool(w, "passed", report->passed);
    write_lines(w, report);
}

int lab_report_write(const struct lab_report *report, const char *path)
{
    return lab_json_write_other(report->target, report->device, write_report, report, path);
}
