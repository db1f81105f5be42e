/* The student's loop: tests first, one line each; goals only of a kernel that is right; at the end
 * the exercise beside its solution. Each test is a run of its own, as `run` would do it. */
#include "command/exercise.h"

#include "grade/exercise.h"
#include "list.h"
#include "paths.h"
#include "registry.h"
#include "report/counter_table.h"
#include "report/table.h"
#include "status.h"
#include "toolchain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 32, MESSAGE_BYTES = 16384, OBJECT_BYTES = LAB_PATH_BYTES + 8 };

/* What all parts of a run share. */
struct session {
    const struct lab_options *options;
    const struct lab_registry_entry *entry;
    const struct lab_device *device;
    const struct lab_counting *counting;
    lab_take_fn *take;
    char object[OBJECT_BYTES]; /* of --source, compiled once; "" without */
    struct lab_exercise exercise;
    int passed, total;
};

/* One run of `target` at the sizes that a line of goal.txt gives. */
static int take_line(const struct session *s, const char *target, const char *line, bool counted,
                     struct lab_result *result)
{
    char words[LAB_EXERCISE_LINE], *list[MOST_WORDS] = {"run", (char *)target, "--check-only"};
    struct lab_options one;
    struct lab_counting none = {.counters = false};
    int count = 3;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && count < MOST_WORDS; word = strtok(NULL, " "))
        list[count++] = word;
    int status = lab_options_parse(count, list, &one);
    if (status != LAB_EXIT_OK)
        return status;
    one.runtime = s->options->runtime;
    one.arch = s->options->arch;
    if (s->object[0] && strncmp(target, "exercise", 8) == 0)
        one.source = s->object;
    /* On a GPU the counters come from the simulator: the goals are then the same everywhere. */
    if (counted && !s->device->is_sim)
        one.profile = LAB_PROFILE_SIM;
    return s->take(&one, s->device, counted ? s->counting : &none, result);
}

static const struct lab_row *own_row(const struct lab_result *result)
{
    for (int i = result->row_count - 1; i >= 0; i--)
        if (!result->rows[i].is_baseline)
            return &result->rows[i];
    return NULL;
}

static void print_line(struct session *s, bool good, const char *what, const char *rest)
{
    bool colour = isatty(STDOUT_FILENO);
    const char *on = !colour ? "" : good ? "\033[32m" : "\033[1;31m";
    s->passed += good;
    s->total++;
    printf("  %s%s%s  %s%s%s\n", on, good ? "ok  " : "FAIL", colour ? "\033[0m" : "", what,
           rest[0] ? ": " : "", rest);
    fflush(stdout);
}

static int run_test(struct session *s, const char *line)
{
    struct lab_result *result = calloc(1, sizeof *result);
    char text[2048] = "";
    if (!result)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    int status = take_line(s, s->options->targets[0], line, false, result);
    for (int i = 0; status == LAB_EXIT_OK && i < result->row_count; i++) {
        const struct lab_check *check = &result->rows[i].check;
        if (check->status != LAB_CHECK_OK && !text[0])
            snprintf(text, sizeof text, "%s: %.1000s%s%.600s", lab_check_status_name(check->status),
                     check->message, check->file[0] && !strstr(check->message, ".cu") ? " " : "",
                     check->file[0] && !strstr(check->message, ".cu") ? check->file : "");
    }
    if (status == LAB_EXIT_OK)
        print_line(s, lab_result_status(result) == LAB_CHECK_OK, line, text);
    lab_result_release(result);
    free(result);
    return status;
}

/* --- goals -------------------------------------------------------------------------------------*/

static bool figure_of(const struct lab_row *row, const char *counter, double *value)
{
    return row && (lab_counters_get(&row->counters, counter, value) ||
                   lab_counters_get(&row->simulated, counter, value));
}

static bool is_met(const struct lab_exercise_goal *goal, double got, double solution)
{
    return goal->least ? got >= goal->factor * solution : got <= goal->factor * solution;
}

static int run_goal(struct session *s, const struct lab_exercise_goal *goal)
{
    char solution[32], what[512];
    double got = 0.0, wanted = 0.0;
    struct lab_result *results = calloc(2, sizeof *results);
    if (!results)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    snprintf(solution, sizeof solution, "solution%s", s->entry->number);
    int status = take_line(s, s->options->targets[0], goal->options, true, &results[0]);
    if (status == LAB_EXIT_OK)
        status = take_line(s, solution, goal->options, true, &results[1]);
    if (status == LAB_EXIT_OK && (!figure_of(own_row(&results[0]), goal->counter, &got) ||
                                  !figure_of(own_row(&results[1]), goal->counter, &wanted)))
        status = lab_complain(LAB_EXIT_MISSING, "no counter %s of %s", goal->counter,
                              s->options->targets[0]);
    if (status == LAB_EXIT_OK) {
        bool good = is_met(goal, got, wanted);
        snprintf(what, sizeof what, "%s (%s): %.6g, the solution %.6g", goal->label, goal->options,
                 got, wanted);
        print_line(s, good, what, good ? "" : goal->advice);
    }
    for (int i = 0; i < 2; i++)
        lab_result_release(&results[i]);
    free(results);
    return status;
}

/* --- the whole ---------------------------------------------------------------------------------*/

/* The exercise beside its solution: times on a GPU, counters (and modelled times) on the simulator.
 */
static int show_beside(const struct session *s)
{
    char solution[32];
    struct lab_options both = {.command = LAB_COMMAND_COMPARE,
                               .alpha = 1.0f,
                               .bandwidth = 1.0f,
                               .seed = 1,
                               .arch = s->options->arch,
                               .runtime = s->options->runtime,
                               .profile = s->device->is_sim ? LAB_PROFILE_AUTO : LAB_PROFILE_NONE};
    struct lab_result *result = calloc(1, sizeof *result);
    if (!result)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    snprintf(solution, sizeof solution, "solution%s", s->entry->number);
    both.targets[both.target_count++] = solution;
    if (s->object[0])
        both.sources[both.source_count++] = s->object;
    else if (strcmp(s->options->targets[0], solution) != 0)
        both.targets[both.target_count++] = s->options->targets[0];
    puts("");
    int status = s->take(&both, s->device, s->counting, result);
    if (status == LAB_EXIT_OK) {
        lab_table_print(result, stdout);
        lab_counter_table_print(result, stdout);
    }
    lab_result_release(result);
    free(result);
    return status;
}

/* A kernel file is compiled once for all tests. */
static int compile_source(struct session *s)
{
    static char messages[MESSAGE_BYTES]; /* written here only; the compiler may say a lot */
    char built[LAB_PATH_BYTES];
    if (!s->options->source)
        return LAB_EXIT_OK;
    int status = lab_toolchain_compile(s->options->source, built, messages, sizeof messages);
    if (status == LAB_EXIT_FAILED)
        fprintf(stderr, "%s", messages);
    if (status != LAB_EXIT_OK)
        return status;
    snprintf(s->object, sizeof s->object, "%s.so", built);
    if (rename(built, s->object) != 0)
        return lab_complain(LAB_EXIT_MISSING, "cannot write %s", s->object);
    return LAB_EXIT_OK;
}

static int run_all(struct session *s)
{
    int status = LAB_EXIT_OK;
    const struct lab_exercise *e = &s->exercise;
    for (int i = 0; i < e->test_count && status == LAB_EXIT_OK; i++)
        status = run_test(s, e->tests[i]);
    if (status != LAB_EXIT_OK)
        return status;
    if (s->passed < s->total) {
        printf("\n%d of %d tests passed; the goals are looked at when all do. `./run hint "
               "exercise%s` helps on.\n",
               s->passed, s->total, s->entry->number);
        return LAB_EXIT_FAILED;
    }
    for (int i = 0; i < e->goal_count && status == LAB_EXIT_OK; i++)
        status = run_goal(s, &e->goals[i]);
    if (status != LAB_EXIT_OK)
        return status;
    if (s->passed < s->total) {
        printf("\nThe results are right, but %d of %d goals are not reached. `./run hint "
               "exercise%s` helps on.\n",
               s->total - s->passed, e->goal_count, s->entry->number);
        return LAB_EXIT_FAILED;
    }
    if (!s->options->source)
        lab_list_note_passed(s->options->targets[0], s->device->is_sim);
    return show_beside(s);
}

int lab_exercise_run(const struct lab_options *options, const struct lab_device *device,
                     const struct lab_counting *counting, lab_take_fn *take)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    s->options = options;
    s->device = device;
    s->counting = counting;
    s->take = take;
    s->entry = lab_registry_exercise(options->targets[0]);
    int status = lab_exercise_read(s->entry, &s->exercise);
    if (status == LAB_EXIT_OK)
        status = compile_source(s);
    if (status == LAB_EXIT_OK) {
        printf("%s: %s\n\n%s\n", options->targets[0], s->entry->title, s->exercise.text);
        status = run_all(s);
    }
    if (s->object[0])
        unlink(s->object);
    free(s);
    return status;
}
