/* A line says what was tried, what came of it, and where. The same fault at the same place is told
 * once. In a small window or terminal, only the first fault of a kind is told in full. */
#include "exercise/results.h"

#include "base/files.h"
#include "base/numbers.h"
#include "base/status.h"
#include "base/text.h"
#include "report/json.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 4096 };

int lab_exercise_results_count(const struct lab_exercise_results *results,
                               enum lab_goal_run_verdict verdict)
{
    int count = 0;
    for (int i = 0; i < results->count; i++)
        count += results->list[i].verdict == verdict;
    return count;
}

/* --- for people --------------------------------------------------------------------------------*/

/* Whether two faults are at one place, or told in the same words. */
static bool is_same_fault(const struct lab_check *a, const struct lab_check *b)
{
    const bool same_place = a->line && a->line == b->line && strcmp(a->file, b->file) == 0;
    return a->status == b->status && (same_place || strcmp(a->message, b->message) == 0);
}

static bool is_of_known_kind(const struct lab_exercise_results *results,
                             const struct lab_check *check)
{
    for (int i = 0; i < results->count - 1; i++)
        if (results->list[i].check.status == check->status)
            return true;
    return false;
}

/* The earlier line that told of the fault, or -1. With `of_kind`, a fault of the same kind is
 * enough, unless this line is the first whose values show a cause. */
static int find_known(const struct lab_exercise_results *results, const struct lab_check *check,
                      bool of_kind)
{
    for (int i = 0; i < results->count - 1; i++) {
        const struct lab_check *const earlier = &results->list[i].check;
        const bool tells_more =
            check->certainty == LAB_CAUSE_PROVED && earlier->certainty < LAB_CAUSE_PROVED;
        if (is_same_fault(earlier, check) ||
            (of_kind && earlier->status == check->status && !tells_more))
            return i;
    }
    return -1;
}

/* A line's advice on the output, without who stored it. */
static void put_advice(const struct lab_check *check, char *text, size_t size)
{
    snprintf(text, size, "%s", check->advice_at ? check->message + check->advice_at : "");
    char *const stored = strstr(text, "; that value was stored at ");
    if (stored)
        *stored = '\0';
}

/* The earlier line whose advice this line repeats, or -1; `length`: of the message up to there. */
static int find_told(const struct lab_exercise_results *results, const struct lab_check *check,
                     size_t *length)
{
    for (int i = 0; i < results->count - 1; i++) {
        const struct lab_check *const earlier = &results->list[i].check;
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

/* Whether the advice suits any mistake, and there is no room for it: in a small window, or beside
 * another line of the kind that knows a cause. */
static bool is_left_out(const struct lab_exercise_results *results, const struct lab_check *check)
{
    static const char general[] = "; look at ";
    if (check->certainty == LAB_CAUSE_PROVED || !check->advice_at ||
        strncmp(check->message + check->advice_at, general, strlen(general)) != 0)
        return false;
    for (int i = 0; i < results->count - 1; i++)
        if (results->list[i].check.status == check->status &&
            results->list[i].check.certainty == LAB_CAUSE_PROVED)
            return true;
    return results->window.rows > 0;
}

/* "as above", or the line to look at if another line has told a cause since. */
static void put_above(const struct lab_exercise_results *results, int known, char *text,
                      size_t size)
{
    const struct lab_exercise_result *const told = &results->list[known];
    if (known == results->last_told)
        snprintf(text, size, "as above");
    else
        snprintf(text, size, "as for %s", told->goal ? told->goal->options : told->options);
}

static void put_check(struct lab_exercise_results *results, const char *options, char *text,
                      size_t size)
{
    const struct lab_check *const check = &results->list[results->count - 1].check;
    const int known = find_known(results, check, false);
    const bool is_short =
        known >= 0 || (results->is_brief && find_known(results, check, true) >= 0);
    const char *const path = lab_shown_path(check->file), *const slash = strrchr(path, '/');
    char place[640] = "", above[200] = "";
    size_t before = strlen(check->message);
    if (check->file[0] && check->line) /* a short line leaves out the folder */
        snprintf(place, sizeof place, " at %s:%d",
                 known >= 0 && results->is_brief && slash ? slash + 1 : path, check->line);
    if (known >= 0)
        put_above(results, known, above, sizeof above);
    if (is_short) {
        if (known < 0 && !results->left_out)
            results->left_out = options;
        snprintf(text, size, "%s%s%s%s", lab_check_status_name(check->status), place,
                 known < 0 ? "" : ", ", above);
        return;
    }
    const int told = results->is_open ? -1 : find_told(results, check, &before);
    if (results->is_open || (told < 0 && is_left_out(results, check)))
        before = check->advice_at ? check->advice_at : before;
    else if (told < 0)
        results->last_told = results->count - 1;
    else
        put_above(results, told, above, sizeof above);
    if (results->is_brief && is_of_known_kind(results, check)) {
        char advice[sizeof check->message];
        put_advice(check, advice, sizeof advice);
        snprintf(text, size, "%s%s", lab_check_status_name(check->status), advice);
        return;
    }
    snprintf(text, size, "%s%s: %.*s%s%s", lab_check_status_name(check->status), place, (int)before,
             check->message, *above ? "; " : "", above);
}

/* Whether a goal before the last line was missed. */
static bool has_missed(const struct lab_exercise_results *results)
{
    for (int i = 0; i < results->count - 1; i++)
        if (results->list[i].goal && results->list[i].verdict != LAB_GOAL_RUN_PASSED)
            return true;
    return false;
}

/* Whether a goal before the last line was missed, and told a cause that goals share. */
static bool has_told_shared(const struct lab_exercise_results *results)
{
    for (int i = 0; i < results->count - 1; i++) {
        const struct lab_exercise_result *const result = &results->list[i];
        if (result->goal && result->verdict != LAB_GOAL_RUN_PASSED &&
            (*result->outcome.repeated || *result->outcome.more))
            return true;
    }
    return false;
}

/* The figure beside the solution's. In a window, all goals but the first missed one have this. */
static void put_short_figures(const struct lab_exercise_result *result, char *text, size_t size)
{
    char got[LAB_FIGURE_BYTES], solution[LAB_FIGURE_BYTES];
    lab_figure_write(got, result->outcome.got);
    lab_figure_write(solution, result->outcome.solution);
    snprintf(text, size, "%s: %s, the solution's %s", result->goal->label, got, solution);
}

/* The figure, and what is asked for: "12,288, at most 1.05 x the solution's 8,192". */
static void put_figures(const struct lab_exercise_result *result, char *text, size_t size)
{
    const struct lab_exercise_goal *goal = result->goal;
    char got[LAB_FIGURE_BYTES], solution[LAB_FIGURE_BYTES], factor[32] = "";
    lab_figure_write(got, result->outcome.got);
    lab_figure_write(solution, result->outcome.solution);
    if (strcmp(goal->counter, LAB_COUNTER_SHARED_BYTES) == 0 && goal->factor == 1.0) {
        /* the solution's would tell the constant that is asked for */
        snprintf(text, size, "%s, %smore than the solution's", got,
                 result->verdict == LAB_GOAL_RUN_PASSED ? "no " : "");
        return;
    }
    if (goal->factor != 1.0 && result->outcome.solution != 0.0)
        snprintf(factor, sizeof factor, "%.4g x ", goal->factor);
    snprintf(text, size, "%s, %s %sthe solution's %s", got,
             goal->exactly ? "to be exactly"
             : goal->least ? "at least"
                           : "at most",
             factor, solution);
}

static void put_goal(const struct lab_exercise_results *results,
                     const struct lab_exercise_result *result, char *text, size_t size)
{
    const struct lab_goal_outcome *outcome = &result->outcome;
    const bool missed = result->verdict != LAB_GOAL_RUN_PASSED;
    const char *limit = lab_limit_words(outcome->limiter);
    char speed[512], figures[128];
    if (outcome->speed.verdict != LAB_SPEED_NOT_TAKEN) {
        lab_speed_text(&outcome->speed, speed, sizeof speed);
        snprintf(text, size, "speed (%s): %s", outcome->sizes, speed);
    } else if (outcome->local_bytes > 0) {
        snprintf(text, size,
                 "%s (%s; modelled): none, since the machine code has %zu bytes of each thread in "
                 "local memory (spilled registers, or arrays), which the model does not see",
                 result->goal->label, outcome->sizes, outcome->local_bytes);
        return;
    } else if (results->window.rows && (!missed || has_missed(results))) {
        put_short_figures(result, text, size);
        return;
    } else {
        const bool modelled =
            results->device->is_sim && (strcmp(result->goal->counter, "speed") == 0 ||
                                        lab_exercise_goal_is_pace(result->goal));
        put_figures(result, figures, sizeof figures);
        snprintf(text, size, "%s (%s%s): %s", result->goal->label, outcome->sizes,
                 modelled ? "; modelled" : "", figures);
    }
    if (missed && *outcome->repeated) { /* its advice is for a kernel that repeats nothing */
        snprintf(text + strlen(text), size - strlen(text), "; %s",
                 has_told_shared(results) ? "as above" : outcome->repeated);
        return;
    }
    if (missed && *limit && !outcome->has_other_grid) /* what limits these blocks is no cause */
        snprintf(text + strlen(text), size - strlen(text), "; limited by %s", limit);
    if (missed && outcome->sectors_each > 0.0)
        snprintf(text + strlen(text), size - strlen(text),
                 "; uncoalesced: %.4g sectors per %s, the solution's %.4g", outcome->sectors_each,
                 strstr(result->goal->counter, "_st.") ? "store" : "load", outcome->solution_each);
    const bool has_residents = *outcome->residents && !results->window.rows; /* it is long */
    const bool has_line = missed && (*outcome->line || has_residents) && !results->is_open;
    if (has_line)
        snprintf(text + strlen(text), size - strlen(text), "; %s",
                 *outcome->line ? outcome->line : outcome->residents);
    if (missed && *outcome->more && has_told_shared(results))
        snprintf(text + strlen(text), size - strlen(text), "; this may come of the same; else %s",
                 result->goal->advice);
    else if (missed)
        snprintf(text + strlen(text), size - strlen(text), "%s%s%s%s",
                 *outcome->more || has_line ? "; " : ": ", outcome->more,
                 *outcome->more ? " Else " : "", result->goal->advice);
}

static void print_line(enum lab_goal_run_verdict verdict, const char *text)
{
    static const char *const words[] = {"FAIL", "ok  ", "?   "};
    static const char *const colours[] = {"\033[1;31m", "\033[32m", "\033[33m"};
    const bool colour = isatty(STDOUT_FILENO);
    char shown[TEXT_BYTES];
    lab_printable(text, false, shown, sizeof shown);
    printf("  %s%s%s  ", colour ? colours[verdict] : "", words[verdict], colour ? "\033[0m" : "");
    lab_print_wrapped(stdout, (int)strlen("  FAIL  "), shown);
    puts("");
    fflush(stdout);
}

static bool is_passed_test(const struct lab_exercise_result *result)
{
    return !result->goal && result->verdict == LAB_GOAL_RUN_PASSED;
}

/* In a window, tests that pass one after another share a line, up to one that does not, or to the
 * last one. Whether the last result is among them, or waits for the next. */
static bool share_line(struct lab_exercise_results *results)
{
    const int last = results->count - 1;
    const bool is_passed = is_passed_test(&results->list[last]);
    char text[TEXT_BYTES] = "";
    if (!results->window.rows || (is_passed && results->count < results->exercise->test_count))
        return is_passed && results->window.rows;
    for (int i = results->shown; i < results->count && is_passed_test(&results->list[i]); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "",
                 results->list[i].options);
    if (*text)
        print_line(LAB_GOAL_RUN_PASSED, text);
    results->shown = results->count;
    return is_passed;
}

void lab_exercise_results_print_last(struct lab_exercise_results *results)
{
    const struct lab_exercise_result *result = &results->list[results->count - 1];
    char text[TEXT_BYTES];
    if (share_line(results))
        return;
    if (result->check.status != LAB_CHECK_OK) {
        const char *const options = result->goal ? result->goal->options : result->options;
        snprintf(text, sizeof text, "%s: ", options);
        put_check(results, options, text + strlen(text), sizeof text - strlen(text));
    } else if (result->goal) {
        put_goal(results, result, text, sizeof text);
    } else {
        snprintf(text, sizeof text, "%s", result->options);
    }
    print_line(result->verdict, text);
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
                       const struct lab_exercise_result *result)
{
    lab_json_string(w, "options", options);
    if (result)
        write_check(w, &result->check);
}

static void write_goal(struct lab_json_writer *w, const struct lab_exercise_goal *goal,
                       const struct lab_exercise_result *result)
{
    const bool has_sizes = result && result->outcome.sizes;
    lab_json_string(w, "options", has_sizes ? result->outcome.sizes : goal->options);
    lab_json_string(w, "label", goal->label);
    lab_json_string(w, "counter", goal->counter);
    lab_json_string(w, "bound", goal->exactly ? "exactly" : goal->least ? "least" : "most");
    lab_json_number(w, "factor", goal->factor);
    if (result)
        write_check(w, &result->check);
    if (!result || result->check.status != LAB_CHECK_OK)
        return;
    if (result->outcome.local_bytes > 0)
        lab_json_integer(w, "not_modelled_for_local_bytes", (long long)result->outcome.local_bytes);
    else
        lab_json_number(w, "got", result->outcome.got);
    if (result->outcome.local_bytes == 0 && result->outcome.speed.verdict == LAB_SPEED_NOT_TAKEN)
        lab_json_number(w, "solution", result->outcome.solution);
    if (result->outcome.limiter)
        lab_json_string(w, "limiter", result->outcome.limiter);
    if (result->verdict != LAB_GOAL_RUN_PASSED)
        lab_json_string(w, "advice",
                        *result->outcome.repeated ? result->outcome.repeated : goal->advice);
}

/* The result of line i, tests before goals; NULL: it was not tried, and has no status. */
static const struct lab_exercise_result *result_at(const struct lab_exercise_results *results,
                                                   int i)
{
    return i < results->count ? &results->list[i] : NULL;
}

static void write_end(struct lab_json_writer *w, const struct lab_exercise_result *result)
{
    lab_json_bool(w, "passed", result && result->verdict == LAB_GOAL_RUN_PASSED);
    lab_json_end(w, '}');
}

static void write_lines(struct lab_json_writer *w, const struct lab_exercise_results *results)
{
    const struct lab_exercise *exercise = results->exercise;
    lab_json_begin(w, "tests", '[');
    for (int i = 0; i < exercise->test_count; i++) {
        lab_json_begin(w, NULL, '{');
        write_test(w, exercise->tests[i], result_at(results, i));
        write_end(w, result_at(results, i));
    }
    lab_json_end(w, ']');
    lab_json_begin(w, "goals", '[');
    for (int i = 0; i < exercise->goal_count; i++) {
        const struct lab_exercise_result *result = result_at(results, exercise->test_count + i);
        lab_json_begin(w, NULL, '{');
        write_goal(w, &exercise->goals[i], result);
        write_end(w, result);
    }
    lab_json_end(w, ']');
}

/* The status of the first line that failed, or else of the first without a verdict. */
static const char *status_of(const struct lab_exercise_results *results)
{
    static const enum lab_goal_run_verdict order[] = {LAB_GOAL_RUN_FAILED, LAB_GOAL_RUN_UNKNOWN};
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (int i = 0; i < results->count; i++) {
            const struct lab_exercise_result *result = &results->list[i];
            if (result->verdict == order[o])
                return result->check.status == LAB_CHECK_OK
                           ? "goal_missed"
                           : lab_check_status_name(result->check.status);
        }
    return lab_check_status_name(LAB_CHECK_OK);
}

static void write_report(struct lab_json_writer *w, const void *subject)
{
    const struct lab_exercise_results *results = subject;
    lab_json_string(w, "status",
                    results->unbuilt ? lab_check_status_name(LAB_CHECK_BUILD_ERROR)
                                     : status_of(results));
    if (results->unbuilt)
        lab_json_string(w, "message", results->unbuilt);
    lab_json_bool(w, "passed", results->passed);
    write_lines(w, results);
}

int lab_exercise_results_write(const struct lab_exercise_results *results, const char *path)
{
    return lab_json_write_other(results->target, results->device, write_report, results, path);
}

/* --- what limits a missed speed ----------------------------------------------------------------*/

static const struct {
    const char *unit, *words;
} limits[] = {
    {"issue", "issue slots: fewer instructions for the same work"},
    {"FMA", "the lanes for multiply-adds, as it should be: only fewer operations help"},
    {"FP64", "the lanes for doubles, as it should be: only fewer operations help"},
    {"MUFU", "the unit for exp, square roots and divisions: fewer of them"},
    {"integer", "integer arithmetic: fewer computations of indices"},
    {"tensor cores", "the tensor cores, as it should be: only fewer products help"},
    {"LSU", "LSU, the unit for loads and stores: fewer wavefronts of shared and global memory"},
    {"L2",
     "L2: fewer sectors from there, by neighbouring lanes at neighbouring elements, or by reuse in "
     "shared memory or registers"},
    {"DRAM", "DRAM: fewer bytes, each read once"},
    {"atomics", "atomic operations on one word: fewer of them, or on more words"},
    {"latency", "latency, the time that warps wait: more warps, or more loads on their way"},
};

const char *lab_limit_words(const char *unit)
{
    for (size_t i = 0; unit && i < sizeof limits / sizeof *limits; i++)
        if (strcmp(limits[i].unit, unit) == 0)
            return limits[i].words;
    return "";
}
