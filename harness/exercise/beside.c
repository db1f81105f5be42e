/* A learner's figures say more beside the solution's and beside those of the exercise as it was
 * given. Of the counters, only those that goals name are shown; --profile shows all. */
#include "exercise/exercise.h"

#include "base/files.h"
#include "base/numbers.h"
#include "base/status.h"
#include "base/text.h"
#include "exercise/goal_file.h"
#include "exercise/recorded.h"
#include "exercise/results.h"
#include "report/terminal.h"
#include "run/run.h"
#include "series/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char GIVEN[] = "as_given.cu";

/* --- as it was given ---------------------------------------------------------------------------*/

static bool runs(const char *command)
{
    fflush(NULL);
    return system(command) == 0;
}

/* Writes the exercise as given to `path`; false if the exercise's own file is still the same. */
static bool write_given(const struct lab_options *options, char path[LAB_PATH_BYTES])
{
    char root[LAB_PATH_BYTES], command[4 * LAB_PATH_BYTES];
    const struct lab_registry_entry *entry = lab_registry_exercise(options->targets[0]);
    lab_root(root);
    lab_scratch_path(path, GIVEN);
    snprintf(command, sizeof command,
             "awk -f '%s/harness/exercise/stub.awk' '%s/solutions/%s/kernel.cu' > '%s'", root, root,
             entry->directory, path);
    if (options->source_count == LAB_MAX_TARGETS || !runs(command))
        return false;
    snprintf(command, sizeof command, "cmp -s '%s/exercises/%s/kernel.cu' '%s'", root,
             entry->directory, path);
    for (int i = 0; i < options->target_count; i++)
        if (strncmp(options->targets[i], "exercise", 8) == 0 && runs(command))
            return false;
    return true;
}

/* Sets the row of the given file apart: it is only there for comparison, and may be wrong. */
static void set_apart(struct lab_result *result)
{
    for (int i = 0; i < result->row_count; i++)
        if (strcmp(result->rows[i].target, GIVEN) == 0)
            result->rows[i].is_baseline = true;
}

/* --- the goals' counters -----------------------------------------------------------------------*/

static bool is_repeated(const struct lab_exercise *exercise, int goal)
{
    for (int i = 0; i < goal; i++)
        if (strcmp(exercise->goals[i].counter, exercise->goals[goal].counter) == 0)
            return true;
    return strcmp(exercise->goals[goal].counter, "speed") == 0 || /* the table has it */
           lab_exercise_goal_is_pace(&exercise->goals[goal]);
}

/* The counter of the solution's last row; false if the solution has no row. */
static bool solution_figure(const struct lab_result *result, const char *counter, double *value)
{
    bool found = false;
    for (int i = 0; i < result->row_count; i++)
        if (strncmp(result->rows[i].target, "solution", 8) == 0)
            found = lab_counters_get(&result->rows[i].counters, counter, value);
    return found;
}

/* "65,536 (8 x)". The ratio to the solution's figure is left out if both are equal, and for a wrong
 * row, whose small figure need be no merit. */
static void write_cell(const struct lab_result *result, const struct lab_row *row,
                       const char *counter, char *cell, size_t size)
{
    char figure[LAB_FIGURE_BYTES];
    double value, solution;
    snprintf(cell, size, "-");
    if (!lab_counters_get(&row->counters, counter, &value))
        return;
    lab_figure_write(figure, value);
    snprintf(cell, size, "%s", figure);
    if (row->check.status != LAB_CHECK_OK)
        snprintf(cell, size, "%s (wrong)", figure);
    else if (solution_figure(result, counter, &solution) && solution > 0.0 && value != solution)
        snprintf(cell, size, "%s (%.3g x)", figure, value / solution);
}

static void print_goal(const struct lab_exercise_goal *goal, const struct lab_result *result)
{
    printf("%-34.34s", goal->label);
    for (int i = 0; i < result->row_count; i++) {
        char cell[LAB_FIGURE_BYTES + 32];
        write_cell(result, &result->rows[i], goal->counter, cell, sizeof cell);
        printf("  %*s", (int)strlen(result->rows[i].name), cell);
    }
    printf("  %s\n", goal->exactly ? "as the solution's" : goal->least ? "the more" : "the fewer");
}

static void print_goals(const struct lab_exercise *exercise, const struct lab_result *result)
{
    bool is_headed = false;
    for (int g = 0; g < exercise->goal_count; g++) {
        if (is_repeated(exercise, g))
            continue;
        if (!is_headed)
            printf("\n%-34s", "counters of the goals");
        for (int i = 0; i < result->row_count && !is_headed; i++)
            printf("  %s", result->rows[i].name);
        fputs(is_headed ? "" : "  better\n", stdout);
        is_headed = true;
        print_goal(&exercise->goals[g], result);
    }
    fputs("\n--profile shows all counters\n", stdout);
}

/* --- a row that is slower, or faster
 * ----------------------------------------------------------------------*/

static bool is_own(const struct lab_row *row)
{
    return !row->is_baseline && !row->is_reference && strncmp(row->target, "solution", 8) != 0;
}

void lab_beside_say_speed(const struct lab_result *result)
{
    const double least_told_apart = 1.05, least_shown = 1.0005;
    const struct lab_row *own = NULL, *fastest = NULL;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *const row = &result->rows[i];
        if (!row->time.modelled || row->check.status != LAB_CHECK_OK)
            continue;
        if (is_own(row))
            own = row;
        else if (!fastest || row->time.median < fastest->time.median)
            fastest = row;
    }
    if (!own || !fastest)
        return;
    const double times = own->time.median / fastest->time.median;
    if (1.0 / times >= least_told_apart)
        lab_printf_wrapped(stdout, "%s is %.2f times as fast as %s\n", own->name, 1.0 / times,
                           fastest->name);
    else if (times >= least_shown && times < least_told_apart)
        lab_printf_wrapped(stdout,
                           "%s is %.1f %% slower than %s: so small a difference tells nothing of a "
                           "GPU (docs/pages/model.md says how exact modelled times are)\n",
                           own->name, 100.0 * (times - 1.0), fastest->name);
    else if (times >= least_told_apart)
        lab_printf_wrapped(stdout, "%s takes %.2f times as long as %s: it is limited by %s\n",
                           own->name, times, fastest->name, lab_limit_words(own->time.limiter));
}

/* --- the whole ---------------------------------------------------------------------------------*/

static int show(const struct lab_options *options, const struct lab_exercise *exercise,
                const struct lab_result *result)
{
    const bool to_stdout = options->json && strcmp(options->json, "-") == 0;
    if (!to_stdout) {
        lab_table_print(result, stdout);
        lab_beside_say_speed(result);
        print_goals(exercise, result);
    }
    const int status = lab_files_write(options, result);
    return status == LAB_EXIT_OK ? lab_show_verdict(result) : status;
}

int lab_beside_run_rows(const struct lab_options *options, const struct lab_device *device,
                        const struct lab_run_plan *plan, struct lab_result *result)
{
    const struct lab_registry_entry *const entry = lab_registry_exercise(options->targets[0]);
    struct lab_options others = *options;
    others.target_count = 0;
    for (int i = 0; i < options->target_count; i++)
        if (strcmp(options->targets[i], entry->solution) != 0)
            others.targets[others.target_count++] = options->targets[i];
    if (!lab_registry_is_handout() || others.target_count == options->target_count)
        return lab_run_rows(options, device, plan, result);
    if (lab_options_have_sizes(options) || options->problem.given_count)
        return lab_complain(LAB_EXIT_USAGE,
                            "a hand-out has %s's figures at the sizes of the "
                            "comparison alone: leave sizes and options out",
                            entry->solution);
    const int status = lab_run_rows(&others, device, plan, result);
    return status == LAB_EXIT_OK ? lab_recorded_put(entry, "", device, result) : status;
}

int lab_beside_run(const struct lab_options *options, const struct lab_device *device,
                   const struct lab_run_plan *plan)
{
    char given[LAB_PATH_BYTES];
    struct lab_options with_given = *options;
    struct lab_exercise *exercise = calloc(1, sizeof *exercise);
    struct lab_result *result = calloc(1, sizeof *result);
    int status = exercise && result
                     ? lab_exercise_read(lab_registry_exercise(options->targets[0]), exercise)
                     : lab_complain(LAB_EXIT_MISSING, "out of memory");
    if (status == LAB_EXIT_OK && !options->variant && write_given(options, given))
        with_given.sources[with_given.source_count++] = given;
    if (status == LAB_EXIT_OK)
        status = lab_beside_run_rows(&with_given, device, plan, result);
    if (status == LAB_EXIT_OK) {
        set_apart(result);
        status = show(options, exercise, result);
    }
    if (result)
        lab_result_release(result);
    free(result);
    free(exercise);
    return status;
}
