/* Lines of goal.txt hold words of the command line, so that a test is what a student can type. */
#include "command/exercise_line.h"

#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 32 };

int lab_line_parse(const char *target, const char *line, struct lab_options *options)
{
    char words[LAB_EXERCISE_LINE], *list[MOST_WORDS] = {"run", (char *)target};
    int count = 2;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && count < MOST_WORDS; word = strtok(NULL, " "))
        list[count++] = word;
    return lab_options_parse(count, list, options);
}

int lab_line_take(const struct lab_line_context *context, const char *target, const char *line,
                  enum lab_line_taking taking, struct lab_result *result)
{
    struct lab_options one;
    struct lab_counting none = {.counters = false};
    int status = lab_line_parse(target, line, &one);
    if (status != LAB_EXIT_OK)
        return status;
    one.check_only = taking != LAB_LINE_TIME;
    one.command = LAB_COMMAND_RUN; /* not its tests */
    one.runtime = context->options->runtime;
    one.arch = context->options->arch;
    if (strncmp(target, "exercise", 8) == 0)
        one.step = context->student;
    /* a child that counts on the simulator compiles the file itself */
    if (one.step && context->options->command == LAB_COMMAND_EXERCISE)
        one.sources[one.source_count++] = one.source = context->options->source;
    /* On a GPU the counters come from the simulator: the goals are then the same everywhere. */
    if (taking == LAB_LINE_COUNTERS && !context->device->is_sim)
        one.profile = LAB_PROFILE_SIM;
    return context->take(&one, context->device,
                         taking == LAB_LINE_CHECK ? &none : context->counting, result);
}

static void first_verdict(const struct lab_result *result, struct lab_check *check)
{
    *check = (struct lab_check){.status = LAB_CHECK_OK};
    for (int i = 0; i < result->row_count && check->status == LAB_CHECK_OK; i++)
        if (!result->rows[i].is_baseline)
            *check = result->rows[i].check;
}

static void drop(struct lab_result *results, int count)
{
    for (int i = 0; results && i < count; i++)
        lab_result_release(&results[i]);
    free(results);
}

static void exercise_name(const struct lab_line_context *context, const char *kind, char name[32])
{
    snprintf(name, 32, "%s%s", kind, context->entry->number);
}

int lab_line_test(const struct lab_line_context *context, const char *line, struct lab_check *check)
{
    struct lab_result *result = calloc(1, sizeof *result);
    if (!result)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    int status = lab_line_take(context, context->options->targets[0], line, LAB_LINE_CHECK, result);
    if (status == LAB_EXIT_OK)
        first_verdict(result, check);
    drop(result, 1);
    return status;
}

static bool is_speed(const struct lab_exercise_goal *goal)
{
    return strcmp(goal->counter, "speed") == 0;
}

/* A counter, or GFLOP/s. */
static bool figure_of(const struct lab_result *result, const struct lab_exercise_goal *goal,
                      double *value)
{
    const struct lab_row *row = NULL;
    for (int i = 0; i < result->row_count; i++)
        if (!result->rows[i].is_baseline)
            row = &result->rows[i];
    if (row && is_speed(goal))
        return (*value = lab_result_gflops(result, row)) > 0.0;
    return row && (lab_counters_get(&row->counters, goal->counter, value) ||
                   lab_counters_get(&row->simulated, goal->counter, value));
}

/* Where speed is measured, at sizes that keep a GPU busy. */
static const char *sizes_of(const struct lab_line_context *context,
                            const struct lab_exercise_goal *goal)
{
    return is_speed(goal) && !context->device->is_sim && goal->timed[0] ? goal->timed
                                                                        : goal->options;
}

int lab_line_goal(const struct lab_line_context *context, const struct lab_exercise_goal *goal,
                  struct lab_goal_outcome *outcome)
{
    char solution[32];
    enum lab_line_taking taking = is_speed(goal) ? LAB_LINE_TIME : LAB_LINE_COUNTERS;
    struct lab_result *results = calloc(2, sizeof *results);
    *outcome = (struct lab_goal_outcome){.met = false};
    if (!results)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    const char *sizes = outcome->sizes = sizes_of(context, goal);
    exercise_name(context, "solution", solution);
    int status = lab_line_take(context, context->options->targets[0], sizes, taking, &results[0]);
    if (status == LAB_EXIT_OK)
        first_verdict(&results[0], &outcome->check);
    if (status == LAB_EXIT_OK && outcome->check.status == LAB_CHECK_OK)
        status = lab_line_take(context, solution, sizes, taking, &results[1]);
    if (status == LAB_EXIT_OK && outcome->check.status == LAB_CHECK_OK &&
        (!figure_of(&results[0], goal, &outcome->got) ||
         !figure_of(&results[1], goal, &outcome->solution)))
        status = lab_complain(LAB_EXIT_MISSING, "there is no counter %s", goal->counter);
    double bound = goal->factor * outcome->solution;
    outcome->met = status == LAB_EXIT_OK && outcome->check.status == LAB_CHECK_OK &&
                   (goal->least ? outcome->got >= bound : outcome->got <= bound);
    drop(results, 2);
    return status;
}
