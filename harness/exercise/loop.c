/* The student's loop: tests first, one line each; goals only of a kernel that is right; at the end
 * the exercise beside its solution. Each test is a run of its own, as `run` would do it. */
#include "exercise/loop.h"

#include "exercise/line.h"
#include "options/line.h"
#include "run/step_file.h"
#include "series/list.h"
#include "series/registry.h"
#include "report/counter_table.h"
#include "report/table.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One run of all tests. */
struct session {
    const struct lab_options *options;
    const struct lab_registry_entry *entry;
    struct lab_line_context context;
    struct lab_exercise exercise;
    int passed, total;
    int unknown; /* of the total: what the simulator cannot run is no failure */
    int late;    /* lines that took all their time */
    bool alive;  /* the device: else no other line can be run */
};

enum { MOST_LATE = 2 }; /* one that has taken all its time twice would do so again */

enum line_verdict { FAILED, PASSED, UNKNOWN };

static void print_line(struct session *s, enum line_verdict verdict, const char *what,
                       const char *rest)
{
    static const char *const words[] = {"FAIL", "ok  ", "?   "};
    static const char *const colours[] = {"\033[1;31m", "\033[32m", "\033[33m"};
    bool colour = isatty(STDOUT_FILENO);
    s->passed += verdict == PASSED;
    s->unknown += verdict == UNKNOWN;
    s->total++;
    printf("  %s%s%s  %s%s%s\n", colour ? colours[verdict] : "", words[verdict],
           colour ? "\033[0m" : "", what, rest[0] ? ": " : "", rest);
    fflush(stdout);
    s->alive = lab_line_device_lives(&s->context);
}

static enum line_verdict verdict_of(enum lab_check_status status)
{
    return status == LAB_CHECK_OK ? PASSED : status == LAB_CHECK_UNSUPPORTED ? UNKNOWN : FAILED;
}

static int run_test(struct session *s, const char *line)
{
    struct lab_check check;
    char text[2048] = "";
    int status = lab_line_test(&s->context, line, &check);
    if (status != LAB_EXIT_OK)
        return status;
    if (check.status != LAB_CHECK_OK)
        snprintf(text, sizeof text, "%s: %s", lab_check_status_name(check.status), check.message);
    s->late += check.status == LAB_CHECK_TIMEOUT;
    print_line(s, verdict_of(check.status), line, text);
    return LAB_EXIT_OK;
}

static int run_goal(struct session *s, const struct lab_exercise_goal *goal)
{
    char what[512], text[1200];
    struct lab_goal_outcome outcome;
    int status = lab_line_goal(&s->context, goal, &outcome);
    if (status != LAB_EXIT_OK)
        return status;
    if (outcome.check.status != LAB_CHECK_OK) {
        snprintf(text, sizeof text, "%s: %.1000s", lab_check_status_name(outcome.check.status),
                 outcome.check.message);
        print_line(s, verdict_of(outcome.check.status), goal->options, text);
        return LAB_EXIT_OK;
    }
    if (outcome.speed.verdict != LAB_SPEED_NOT_TAKEN) {
        lab_speed_text(&outcome.speed, text, sizeof text);
        snprintf(what, sizeof what, "speed (%s): %s", outcome.sizes, text);
        print_line(s, outcome.met ? PASSED : FAILED, what, outcome.met ? "" : goal->advice);
        return LAB_EXIT_OK;
    }
    bool modelled = strcmp(goal->counter, "speed") == 0 && s->context.device->is_sim;
    snprintf(what, sizeof what, "%s (%s%s): %.6g, the solution %.6g", goal->label, outcome.sizes,
             modelled ? "; modelled" : "", outcome.got, outcome.solution);
    print_line(s, outcome.met ? PASSED : FAILED, what, outcome.met ? "" : goal->advice);
    return LAB_EXIT_OK;
}

/* --- the whole ---------------------------------------------------------------------------------*/

/* The exercise beside its solution: times on a GPU, counters (and modelled times) on the simulator.
 */
static int show_beside(const struct session *s)
{
    char solution[32];
    struct lab_options both;
    struct lab_options_line words;
    struct lab_result *result = calloc(1, sizeof *result);
    if (!result)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    snprintf(solution, sizeof solution, "solution%s", s->entry->number);
    int status = lab_options_parse_line(solution, "", &words, &both);
    both.command = LAB_COMMAND_COMPARE;
    both.arch = s->options->arch;
    both.sms = s->options->sms;
    both.runtime = s->options->runtime;
    both.profile = s->context.device->is_sim ? LAB_PROFILE_AUTO : LAB_PROFILE_NONE;
    if (s->options->source)
        both.sources[both.source_count++] = s->options->source;
    else if (strcmp(s->options->targets[0], solution) != 0)
        both.targets[both.target_count++] = s->options->targets[0];
    puts("");
    if (status == LAB_EXIT_OK)
        status = lab_take_rows(&both, s->context.device, s->context.counting, result);
    if (status == LAB_EXIT_OK) {
        lab_table_print(result, stdout);
        lab_counter_table_print(result, stdout);
    }
    lab_result_release(result);
    free(result);
    return status;
}

/* A kernel file is compiled and loaded once for all tests; else what is built must be there. */
static int load_source(struct session *s)
{
    struct lab_check check = {.status = LAB_CHECK_OK};
    char why[1024];
    if (s->options->source)
        return lab_step_file_source(s->options->source, &s->context.student, &check);
    return lab_step_file_load(s->options->targets[0], NULL, why, sizeof why)
               ? LAB_EXIT_OK
               : lab_complain(LAB_EXIT_MISSING, "%s %s", s->options->targets[0], why);
}

/* The tests, or the goals, came to no full pass: says so; an exit status. */
static int say_how_many(const struct session *s, const char *failed)
{
    if (!s->alive || s->late == MOST_LATE)
        printf("\nThe lines behind it are not tried: %s.\n",
               s->alive ? "they would take all their time, too"
                        : "the fault leaves the device unusable");
    if (s->passed + s->unknown == s->total) {
        printf("\n%d of %d lines need what the simulator does not know: no verdict on the kernel. "
               "On a GPU the same command gives one.\n",
               s->unknown, s->total);
        return LAB_EXIT_MISSING;
    }
    printf("\n%s `./run hint exercise%s` helps on.\n", failed, s->entry->number);
    return LAB_EXIT_FAILED;
}

static bool may_go_on(const struct session *s, int status)
{
    return status == LAB_EXIT_OK && s->alive && s->late < MOST_LATE;
}

static int run_all(struct session *s)
{
    char text[128];
    int status = LAB_EXIT_OK;
    const struct lab_exercise *e = &s->exercise;
    for (int i = 0; i < e->test_count && may_go_on(s, status); i++)
        status = run_test(s, e->tests[i]);
    if (status != LAB_EXIT_OK)
        return status;
    snprintf(text, sizeof text, "%d of %d tests passed; the goals are looked at when all do.",
             s->passed, e->test_count);
    if (s->passed < e->test_count)
        return say_how_many(s, text);
    for (int i = 0; i < e->goal_count && may_go_on(s, status); i++)
        status = run_goal(s, &e->goals[i]);
    if (status != LAB_EXIT_OK)
        return status;
    snprintf(text, sizeof text, "The results are right, but %d of %d goals are not reached.",
             s->total - s->passed - s->unknown, e->goal_count);
    if (s->passed < e->test_count + e->goal_count)
        return say_how_many(s, text);
    if (!s->options->source)
        lab_list_note_passed(s->options->targets[0], s->context.device->is_sim);
    return show_beside(s);
}

int lab_exercise_run(const struct lab_options *options, const struct lab_device *device,
                     const struct lab_counting *counting)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    s->options = options;
    s->alive = true;
    s->entry = lab_registry_exercise(options->targets[0]);
    s->context = (struct lab_line_context){
        .options = options, .entry = s->entry, .device = device, .counting = counting};
    int status = lab_exercise_read(s->entry, &s->exercise);
    if (status == LAB_EXIT_OK)
        status = load_source(s);
    if (status == LAB_EXIT_OK) {
        printf("%s: %s\n\n%s\n", options->targets[0], s->entry->title, s->exercise.text);
        status = run_all(s);
    }
    free(s);
    return status;
}
