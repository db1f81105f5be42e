/* Lines of goal.txt hold words of the command line, so that a test is what a student can type. */
#include "command/exercise_line.h"

#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 32 };

int lab_line_take(const struct lab_line_context *context, const char *target, const char *line,
                  bool counted, struct lab_result *result)
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
    one.runtime = context->options->runtime;
    one.arch = context->options->arch;
    if (strncmp(target, "exercise", 8) == 0)
        one.step = context->student;
    /* On a GPU the counters come from the simulator: the goals are then the same everywhere. */
    if (counted && !context->device->is_sim)
        one.profile = LAB_PROFILE_SIM;
    return context->take(&one, context->device, counted ? context->counting : &none, result);
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
    int status = lab_line_take(context, context->options->targets[0], line, false, result);
    if (status == LAB_EXIT_OK)
        first_verdict(result, check);
    drop(result, 1);
    return status;
}

static bool figure_of(const struct lab_result *result, const char *counter, double *value)
{
    for (int i = result->row_count - 1; i >= 0; i--)
        if (!result->rows[i].is_baseline)
            return lab_counters_get(&result->rows[i].counters, counter, value) ||
                   lab_counters_get(&result->rows[i].simulated, counter, value);
    return false;
}

int lab_line_goal(const struct lab_line_context *context, const struct lab_exercise_goal *goal,
                  struct lab_goal_outcome *outcome)
{
    char solution[32];
    struct lab_result *results = calloc(2, sizeof *results);
    *outcome = (struct lab_goal_outcome){.met = false};
    if (!results)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    exercise_name(context, "solution", solution);
    int status =
        lab_line_take(context, context->options->targets[0], goal->options, true, &results[0]);
    if (status == LAB_EXIT_OK)
        first_verdict(&results[0], &outcome->check);
    if (status == LAB_EXIT_OK && outcome->check.status == LAB_CHECK_OK)
        status = lab_line_take(context, solution, goal->options, true, &results[1]);
    if (status == LAB_EXIT_OK && outcome->check.status == LAB_CHECK_OK &&
        (!figure_of(&results[0], goal->counter, &outcome->got) ||
         !figure_of(&results[1], goal->counter, &outcome->solution)))
        status = lab_complain(LAB_EXIT_MISSING, "there is no counter %s", goal->counter);
    double bound = goal->factor * outcome->solution;
    outcome->met = status == LAB_EXIT_OK && outcome->check.status == LAB_CHECK_OK &&
                   (goal->least ? outcome->got >= bound : outcome->got <= bound);
    drop(results, 2);
    return status;
}
