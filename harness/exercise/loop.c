/* The student's loop. The tests come first, one line each. Goals come only if the kernel is right,
 * and at the end the exercise beside its solution, and what comes next. Each line is a run of its
 * own, as `run` would make it, in a process of its own. */
#include "exercise/exercise.h"

#include "base/progress.h"
#include "base/files.h"
#include "base/simulator.h"
#include "base/status.h"
#include "base/text.h"
#include "exercise/recorded.h"
#include "exercise/todo.h"
#include "exercise/goal_run.h"
#include "exercise/results.h"
#include "families/family.h"
#include "machine/toolchain.h"
#include "options/options.h"
#include "report/terminal.h"
#include "series/list.h"
#include "run/step_file.h"
#include "series/registry.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_SECONDS = 60,
    NEXT_SECONDS = 10, /* for a kernel file that did not end once */
    COMPILER_BYTES = 16384,
};

/* One run of all tests. */
struct session {
    const struct lab_options *options;
    const struct lab_registry_entry *entry;
    struct lab_exercise exercise;
    struct lab_device device;
    struct lab_isolated isolated;
    struct lab_exercise_results results;
    char object[LAB_PATH_BYTES]; /* object of --source; "": none */
    char todos[512];             /* places that are still as given */
    bool says_todos;             /* says them when a line fails */
    bool quiet;                  /* JSON has standard output to itself */
};

static bool takes_stdout(const struct lab_options *options)
{
    return options->json && strcmp(options->json, "-") == 0;
}

/* --- lines -------------------------------------------------------------------------------------*/

static void add_result(struct session *s, struct lab_exercise_result result)
{
    const enum lab_check_status status = result.check.status;
    const bool met = !result.goal || result.outcome.met;
    result.verdict = lab_check_status_is_open(status) ? LAB_GOAL_RUN_UNKNOWN
                     : status == LAB_CHECK_OK && met  ? LAB_GOAL_RUN_PASSED
                                                      : LAB_GOAL_RUN_FAILED;
    if (status == LAB_CHECK_TIMEOUT && s->isolated.seconds > NEXT_SECONDS)
        s->isolated.seconds = NEXT_SECONDS;
    assert(s->results.count < LAB_EXERCISE_RESULTS);
    s->results.list[s->results.count++] = result;
    if (!s->quiet && s->says_todos && result.verdict == LAB_GOAL_RUN_FAILED) {
        lab_printf_wrapped(stdout, "Still as given: %s\n", s->todos);
        s->says_todos = false;
    }
    if (!s->quiet)
        lab_exercise_results_print_last(&s->results);
}

static int run_test(struct session *s, const char *line)
{
    int status = lab_isolated_test(&s->isolated, line);
    if (status == LAB_EXIT_OK)
        add_result(s,
                   (struct lab_exercise_result){.options = line, .check = s->isolated.left->check});
    return status;
}

static int run_goals(struct session *s, const struct lab_exercise_goal *goals, int count)
{
    int status = lab_isolated_goals(&s->isolated, goals, count);
    for (int i = 0; i < count && status == LAB_EXIT_OK; i++)
        add_result(s, (struct lab_exercise_result){.goal = &goals[i],
                                                   .check = s->isolated.left->goals[i].check,
                                                   .outcome = s->isolated.left->goals[i]});
    return status;
}

/* --- the end -----------------------------------------------------------------------------------*/

/* Shows the exercise beside its solution: times on a GPU; on the simulator modelled times, or the
 * figures that the family counts in place of times. */
static int show_beside(const void *subject)
{
    const struct session *s = subject;
    struct lab_options both;
    struct lab_option_text words;
    struct lab_result *result = calloc(1, sizeof *result);
    if (!result)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    int status = lab_options_parse_text(s->options->targets[0], "", &words, &both);
    both.targets[0] = s->entry->solution;
    both.command = LAB_COMMAND_COMPARE;
    both.arch = s->options->arch;
    both.sms = s->options->sms;
    struct lab_run_plan plan = {.counting = s->isolated.context.plan->counting};
    plan.counts = s->device.is_sim && lab_family_find(s->entry->family)->counted[0].title;
    plan.profile = s->device.is_sim && !plan.counts ? LAB_PROFILE_SIM : LAB_PROFILE_NONE;
    char why[1024]; /* was shown when the object was tried */
    if (s->isolated.object)
        both.step = lab_step_file_open(s->isolated.object, why, sizeof why);
    if (s->options->source)
        both.sources[both.source_count++] = s->options->source;
    else if (strcmp(s->options->targets[0], s->entry->solution) != 0)
        both.targets[both.target_count++] = s->options->targets[0];
    if (status == LAB_EXIT_OK)
        status = lab_beside_run_rows(&both, &s->device, &plan, result);
    puts("");
    if (status == LAB_EXIT_OK) {
        lab_table_print(result, stdout);
        lab_beside_say_speed(result);
    }
    lab_result_release(result);
    free(result);
    return status;
}

/* Says how many more tests and goals came upon each warning of the simulator. Only the first of
 * them printed it. */
static void say_warned_again(void)
{
    const char *place;
    for (int i = 0, again;
         lab_simulator() && (again = lab_simulator()->warning_again(i, &place)) >= 0; i++)
        if (again > 0)
            fprintf(stderr, "warning: kernel %s: as above, of %d more test%s or goal%s\n", place,
                    again, again == 1 ? "" : "s", again == 1 ? "" : "s");
}

static bool has_status(const struct lab_exercise_results *results, enum lab_check_status status)
{
    for (int i = 0; i < results->count; i++)
        if (results->list[i].check.status == status)
            return true;
    return false;
}

/* Says that not all tests, or not all goals, have passed; an exit status. */
static int say_how_many(const struct session *s, const char *failed)
{
    const int unknown = lab_exercise_results_count(&s->results, LAB_GOAL_RUN_UNKNOWN);
    const bool has_failed = lab_exercise_results_count(&s->results, LAB_GOAL_RUN_FAILED) > 0;
    if (s->quiet)
        return has_failed ? LAB_EXIT_FAILED : LAB_EXIT_MISSING;
    if (!has_failed && has_status(&s->results, LAB_CHECK_INTERNAL_ERROR)) {
        lab_printf_wrapped(stdout, "\nThe lab itself broke: no verdict on the kernel.\n");
        return LAB_EXIT_MISSING;
    }
    if (!has_failed) {
        lab_printf_wrapped(
            stdout,
            "\n%d of %d lines need what the simulator does not know: no verdict on the kernel. "
            "On a GPU the same command gives one.\n",
            unknown, s->results.count);
        return LAB_EXIT_MISSING;
    }
    lab_printf_wrapped(stdout, "\n%s `./run hint exercise%s` helps on.\n", failed,
                       s->entry->number);
    if (s->results.left_out && !s->results.window.rows)
        lab_printf_wrapped(stdout,
                           "Of a kind of fault the first is told in full. To see what another "
                           "test says, add its options to the command: `%s`.\n",
                           s->results.left_out);
    return LAB_EXIT_FAILED;
}

static void say_passed(const struct session *s)
{
    const char *target = s->options->targets[0];
    const bool is_exercise = strncmp(target, "exercise", 8) == 0;
    if (is_exercise && !s->results.window.rows && !lab_registry_is_handout())
        printf("\n`./run compare solution%s %s%s --profile` shows all counters.\n",
               s->entry->number, s->options->source ? "--source " : "",
               s->options->source ? s->options->source : target);
    puts("");
    if (is_exercise && s->results.window.rows &&
        !s->options->source) /* no room for the table itself */
        lab_printf_wrapped(stdout, "`./run compare solution%s %s` shows both.\n", s->entry->number,
                           target);
    if (s->options->source)
        lab_printf_wrapped(stdout,
                           "%s passed by %s, and not noted: another file than its own was tried.\n",
                           target, s->options->source);
    else if (is_exercise)
        lab_list_say_passed(s->entry);
    else
        lab_printf_wrapped(stdout, "%s passed. `./run %s --profile` shows all counters.\n", target,
                           target);
    if (is_exercise && s->exercise.learned[0])
        lab_printf_wrapped(stdout, "Learned: %s\n", s->exercise.learned);
}

/* Warns once of blocks without work, which a goal that is reached may hide. */
static void say_many_blocks(const struct session *s)
{
    for (int i = 0; i < s->results.count; i++)
        if (s->results.list[i].goal && strcmp(s->results.list[i].goal->counter, "speed") != 0 &&
            *s->results.list[i].outcome.residents) {
            lab_printf_wrapped(stdout, "All passed, but %s\n",
                               s->results.list[i].outcome.residents);
            return;
        }
}

static int conclude(struct session *s)
{
    s->results.passed = true;
    if (!s->options->source)
        lab_list_note_passed(s->options->targets[0], s->device.is_sim);
    if (s->quiet)
        return LAB_EXIT_OK;
    int status =
        s->results.window.rows ? LAB_EXIT_OK : lab_isolated_do(&s->isolated, show_beside, s);
    if (status == LAB_EXIT_OK)
        say_passed(s);
    if (status == LAB_EXIT_OK)
        say_many_blocks(s);
    return status;
}

static int record_run(const struct session *s, const char *options, FILE *file)
{
    struct lab_result *result = calloc(1, sizeof *result);
    if (!result)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    const int status =
        lab_goal_run_count(&s->isolated.context, s->options->targets[0], options, result);
    if (status == LAB_EXIT_OK)
        lab_recorded_write(result, options, file);
    lab_result_release(result);
    free(result);
    return status;
}

/* Writes the figures of a solution that has passed, for a hand-out: at the sizes of the comparison,
 * and of each goal. */
static int record(const void *subject)
{
    const struct session *s = subject;
    const struct lab_exercise *const e = &s->exercise;
    struct lab_new_file file;
    if (!lab_new_file_begin(&file, s->options->figures_to))
        return lab_complain(LAB_EXIT_MISSING, "%s: %s", s->options->figures_to, strerror(errno));
    lab_recorded_begin(&s->device, file.stream);
    int status = record_run(s, "", file.stream);
    for (int i = 0, count; i < e->goal_count && status == LAB_EXIT_OK; i += count) {
        count = lab_goal_run_together(&s->isolated.context, &e->goals[i], e->goal_count - i);
        status = record_run(s, e->goals[i].options, file.stream);
    }
    return lab_new_file_end(&file)
               ? status
               : lab_complain(LAB_EXIT_MISSING, "%s: %s", s->options->figures_to, strerror(errno));
}

/* --- the whole ---------------------------------------------------------------------------------*/

static int run_all(struct session *s)
{
    char text[128];
    int status = LAB_EXIT_OK;
    const struct lab_exercise *e = &s->exercise;
    for (int i = 0; i < e->test_count && status == LAB_EXIT_OK; i++)
        status = run_test(s, e->tests[i]);
    if (status != LAB_EXIT_OK)
        return status;
    int passed = lab_exercise_results_count(&s->results, LAB_GOAL_RUN_PASSED);
    snprintf(text, sizeof text, "%d of %d tests passed; the goals are looked at when all do.",
             passed, e->test_count);
    if (passed < e->test_count)
        return say_how_many(s, text);
    for (int i = 0, count; i < e->goal_count && status == LAB_EXIT_OK; i += count) {
        count = lab_goal_run_together(&s->isolated.context, &e->goals[i], e->goal_count - i);
        status = run_goals(s, &e->goals[i], count);
    }
    if (status != LAB_EXIT_OK)
        return status;
    snprintf(text, sizeof text, "The results are right, but %d of %d goals are not reached.",
             lab_exercise_results_count(&s->results, LAB_GOAL_RUN_FAILED), e->goal_count);
    passed = lab_exercise_results_count(&s->results, LAB_GOAL_RUN_PASSED);
    return passed < e->test_count + e->goal_count ? say_how_many(s, text) : conclude(s);
}

/* Compiles a kernel file once for all lines. */
static int compile_source(struct session *s)
{
    static char messages[COMPILER_BYTES]; /* written here only; the compiler may say a lot */
    char built[LAB_PATH_BYTES];
    const char *source = s->options->source;
    if (!source)
        return LAB_EXIT_OK;
    s->isolated.source = source;
    if (lab_step_file_is_object(source)) {
        s->isolated.object = s->isolated.context.source = source;
        return LAB_EXIT_OK;
    }
    struct lab_progress_line progress;
    lab_progress_begin(&progress, false, "building %s", source);
    int status = lab_toolchain_compile(source, NULL, built, messages, sizeof messages);
    lab_progress_end(&progress);
    if (status == LAB_EXIT_FAILED) {
        lab_window_print_compiler(messages[0] ? messages : "nvcc failed\n", s->results.window);
        s->results.unbuilt = messages;
    }
    if (status != LAB_EXIT_OK)
        return status;
    snprintf(s->object, sizeof s->object, "%.4000s.so", built);
    if (rename(built, s->object) != 0)
        return lab_complain(LAB_EXIT_MISSING, "cannot write %s: %s", s->object, strerror(errno));
    s->isolated.object = s->isolated.remove = s->isolated.context.source = s->object;
    return LAB_EXIT_OK;
}

/* What make has built has its list of headers beside it. A kernel file of --source has none: it is
 * for trying. */
static int check_includes(const struct session *s)
{
    char depends[LAB_PATH_BYTES], why[512];
    if (s->options->source || strncmp(s->options->targets[0], "exercise", 8) != 0)
        return LAB_EXIT_OK;
    lab_build_path(depends, "exercise/%s.d", s->entry->number);
    if (!lab_exercise_includes(&s->exercise, depends, why, sizeof why))
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_FAILED, "exercises/%s/kernel.cu %s", s->entry->directory, why);
}

/* Prints the title and what is asked. In a small window, the latter is left out if the lines need
 * the room: a first failure with its further lines, or all tests and goals. */
static void print_head(const struct session *s)
{
    enum { FAILED_ROWS = 11, PASSED_ROWS = 8 }; /* title, blanks, what follows the lines */
    const int rows = lab_print_wrapped(NULL, 0, s->exercise.text);
    const int failed = s->exercise.test_count + FAILED_ROWS + rows + s->says_todos;
    const int passed = s->exercise.test_count + s->exercise.goal_count + PASSED_ROWS + rows;
    const bool fits = !s->results.window.rows ||
                      (failed <= s->results.window.rows && passed <= s->results.window.rows);
    lab_printf_wrapped(stdout, "%s: %s\n\n", s->options->targets[0], s->entry->title);
    if (fits) {
        lab_print_wrapped(stdout, 0, s->exercise.text);
        puts("");
    }
    if (s->results.is_open)
        lab_printf_wrapped(stdout,
                           "Nothing is filled in yet: the TODOs are at %s. As it is it gives:\n\n",
                           s->todos);
}

static double seconds_of_line(void)
{
    const char *text = getenv("LAB_LINE_SECONDS");
    const double seconds = text ? strtod(text, NULL) : 0.0;
    return seconds > 0.0 ? seconds : LINE_SECONDS;
}

/* Finds what is as given; a loadable file has no source to look at. */
static void find_todos(struct session *s)
{
    const char *const source = s->options->source;
    if (strncmp(s->options->targets[0], "exercise", 8) != 0 ||
        (source && lab_step_file_is_object(source)))
        return;
    const enum lab_todo todo = lab_todo_find(s->entry, source, s->todos, sizeof s->todos);
    s->results.is_open = todo == LAB_TODO_OPEN;
    s->says_todos = todo == LAB_TODO_SOME;
}

static int open_session(struct session *s, bool is_sim, const char *built_for,
                        const struct lab_run_plan *plan)
{
    s->device.is_sim = is_sim;
    s->results.target = s->options->targets[0];
    s->results.exercise = &s->exercise;
    s->results.device = &s->device;
    s->results.window = (struct lab_window){s->options->fit_rows, s->options->fit_columns};
    s->results.is_brief = s->results.window.rows || lab_window_is_small();
    lab_wrap_to(s->results.window.columns);
    s->isolated.context = (struct lab_goal_run_context){
        .options = s->options, .entry = s->entry, .device = &s->device, .plan = plan};
    find_todos(s);
    s->isolated.built_for = built_for;
    s->isolated.seconds = seconds_of_line();
    s->isolated.to_standard_error = s->quiet;
    int status = lab_exercise_read(s->entry, &s->exercise);
    if (status == LAB_EXIT_OK)
        status = lab_isolated_open(&s->isolated);
    if (status == LAB_EXIT_OK)
        status = compile_source(s);
    if (status != LAB_EXIT_OK && !s->results.unbuilt)
        return status;
    status = status == LAB_EXIT_OK ? check_includes(s) : status;
    if (status != LAB_EXIT_OK && !s->results.unbuilt)
        return status;
    const int found = lab_isolated_look(&s->isolated);
    status = status == LAB_EXIT_OK ? found : status;
    if (status == LAB_EXIT_FAILED && !s->results.unbuilt)
        s->results.unbuilt = "the kernel file cannot be loaded";
    s->device = s->isolated.left->device;
    return status;
}

int lab_exercise_run(const struct lab_options *options, bool is_sim, const char *built_for,
                     const struct lab_run_plan *plan)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    s->options = options;
    s->quiet = takes_stdout(options);
    s->entry = lab_registry_exercise(options->targets[0]);
    int status = open_session(s, is_sim, built_for, plan);
    if (status == LAB_EXIT_OK) {
        if (!s->quiet)
            print_head(s);
        if (lab_simulator())
            lab_simulator()->share_warnings();
        status = run_all(s);
        say_warned_again();
        if (status == LAB_EXIT_OK && options->figures_to)
            status = lab_isolated_do(&s->isolated, record, s);
    }
    /* Any verdict is written; a run that this machine could not make has none. */
    if (options->json && (status == LAB_EXIT_OK || s->results.count || s->results.unbuilt)) {
        int written = lab_exercise_results_write(&s->results, options->json);
        status = written != LAB_EXIT_OK ? written : status;
    }
    if (s->object[0])
        unlink(s->object);
    lab_isolated_close(&s->isolated);
    free(s);
    return status;
}
