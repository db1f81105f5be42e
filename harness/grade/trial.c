/* A submission's trial, in a process of its own: what a kernel breaks here affects no other
 * submission. */
#include "grade/trial.h"

#include "exercise/goal_run.h"
#include "grade/recorded_launches/recording.h"
#include "run/step_file.h"
#include "grade/outcome/outcome.h"
#include "series/registry.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_DESCRIPTOR = 3, MOST_LATE = 2 };

static void report_check(FILE *stream, int item, const struct lab_check *check)
{
    struct lab_plan_report report = {.item = item, .status = check->status};
    snprintf(report.message, sizeof report.message, "%s", check->message);
    lab_plan_say(stream, &report);
}

static void begin(FILE *stream, int item)
{
    lab_plan_say(stream, &(struct lab_plan_report){.item = item, .status = LAB_CHECK_NOT_RUN});
}

static int run_test(const struct lab_goal_run_context *context, const struct lab_plan_item *item,
                    int number, FILE *stream, enum lab_check_status *verdict)
{
    struct lab_check check = {.status = LAB_CHECK_OK};
    int status = lab_goal_run_test(context, item->options, &check);
    lab_recorded_step_fault(&check);
    if (status == LAB_EXIT_OK || check.status != LAB_CHECK_OK)
        report_check(stream, number, &check);
    *verdict = check.status;
    return check.status != LAB_CHECK_OK ? LAB_EXIT_OK : status;
}

static void report_goal(FILE *stream, int number, const struct lab_exercise_goal *goal,
                        const struct lab_goal_outcome *outcome)
{
    struct lab_plan_report report = {.item = number,
                                     .status = outcome->check.status,
                                     .met = outcome->met,
                                     .got = outcome->got,
                                     .solution = outcome->solution};
    snprintf(report.message, sizeof report.message, "%s",
             report.status != LAB_CHECK_OK ? outcome->check.message
             : report.met                  ? ""
                                           : goal->advice);
    lab_plan_say(stream, &report);
}

/* Reports that a goal is not looked at, because the kernel misses one that guards it, and so lacks
 * the idea of the exercise. */
static void report_unlooked(FILE *stream, int number)
{
    struct lab_plan_report report = {.item = number};
    snprintf(report.message, sizeof report.message,
             "does not count for a kernel that misses a goal which the others depend on");
    lab_plan_say(stream, &report);
}

/* Runs the goals that one run has the figures of. `paces` falls if one is missed that the others
 * depend on. */
static int run_goals(const struct lab_goal_run_context *context, const struct lab_plan *plan,
                     int first, int count, FILE *stream, bool *paces)
{
    struct lab_exercise_goal goals[LAB_EXERCISE_GOALS] = {{.least = false}};
    struct lab_goal_outcome outcomes[LAB_EXERCISE_GOALS];
    for (int i = 0; i < count; i++)
        goals[i] = plan->items[first + i].goal;
    const int status = lab_goal_run_goals(context, goals, count, outcomes);
    const bool is_refused = lab_recorded_step_fault(&outcomes[0].check);
    for (int i = 0; i < count && (is_refused || status == LAB_EXIT_OK); i++) {
        if (!*paces) {
            report_unlooked(stream, first + i);
            continue;
        }
        if (is_refused)
            outcomes[i].check = outcomes[0].check;
        report_goal(stream, first + i, &goals[i], &outcomes[i]);
        *paces = !lab_exercise_goal_guards(&goals[i]) || outcomes[i].met;
    }
    return is_refused ? LAB_EXIT_OK : status;
}

/* The number of goals from an item on that one run has the figures of. */
static int goals_together(const struct lab_goal_run_context *context, const struct lab_plan *plan,
                          int first)
{
    int count = 1;
    while (first + count < plan->count && count < LAB_EXERCISE_GOALS &&
           !plan->items[first + count].timed &&
           strcmp(plan->items[first + count].goal.options, plan->items[first].goal.options) == 0)
        count++;
    return context->device->is_sim ? count : 1;
}

/* Runs the items that are not timed. Goals are run only for kernels that are right. After a kernel
 * has run out of time twice, no more items are run. A fault in one test does not end the others.
 * The cause of a wrong result is looked for once: the student's time is for the tests. */
static int run_items(struct lab_goal_run_context *context, const struct lab_plan *plan,
                     FILE *stream)
{
    int status = LAB_EXIT_OK, wrong = 0, late = 0;
    bool paces = true;
    for (int i = 0, count; i < plan->count && status == LAB_EXIT_OK && late < MOST_LATE;
         i += count) {
        const struct lab_plan_item *item = &plan->items[i];
        enum lab_check_status verdict = LAB_CHECK_OK;
        count = item->is_goal && !item->timed ? goals_together(context, plan, i) : 1;
        if (item->timed || (item->is_goal && wrong))
            continue;
        if (item->is_goal && !paces) {
            report_unlooked(stream, i);
            count = 1;
            continue;
        }
        begin(stream, i);
        status = item->is_goal ? run_goals(context, plan, i, count, stream, &paces)
                               : run_test(context, item, i, stream, &verdict);
        wrong += verdict != LAB_CHECK_OK;
        context->without_cause =
            context->without_cause || (verdict != LAB_CHECK_OK && item->visible);
        late += verdict == LAB_CHECK_TIMEOUT;
        if (!lab_goal_run_device_lives(context))
            break;
    }
    return status;
}

/* The family of an exercise, from its solution, which the lab itself provides; NULL: it cannot be
 * loaded, and why has been said. */
static const struct lab_family *family_of(const struct lab_registry_entry *entry)
{
    char solution[32], why[256];
    snprintf(solution, sizeof solution, "solution%s", entry->number);
    const struct lab_step *step = lab_step_file_load(solution, NULL, why, sizeof why);
    if (!step)
        lab_complain(LAB_EXIT_MISSING, "%s %s", solution, why);
    return step ? lab_family_find(step->family) : NULL;
}

/* What kernels print goes nowhere: it may be any amount, may look like a message of this program's,
 * and may be what a hidden test is about. */
static bool silence_kernels(void)
{
    return freopen("/dev/null", "w", stdout) != NULL;
}

int lab_trial_run(const struct lab_options *options, const struct lab_device *device,
                  const struct lab_run_plan *run_plan)
{
    static struct lab_plan plan; /* read once, too large for a stack */
    struct lab_check check = {.status = LAB_CHECK_OK};
    struct lab_goal_run_context context = {.options = options,
                                           .source = options->source,
                                           .entry = lab_registry_exercise(options->targets[0]),
                                           .device = device,
                                           .plan = run_plan};
    FILE *stream = fdopen(REPORT_DESCRIPTOR, "w");
    if (!stream || !lab_plan_read(&plan, options->plan))
        return lab_complain(LAB_EXIT_USAGE, "--plan is for `run grade`");
    if (!silence_kernels())
        return lab_complain(LAB_EXIT_MISSING, "/dev/null cannot be opened");
    const struct lab_family *family = family_of(context.entry);
    if (!family)
        return LAB_EXIT_MISSING;
    if (plan.times)
        return lab_timed_trial_run(options, device, family, &plan, stream);
    const struct lab_recording_terms terms = {
        .isolate = plan.isolate, .account = plan.account, .seconds = plan.launch_seconds};
    context.student = lab_recorded_step_open(options->source, family, &terms, &check);
    if (!context.student) {
        report_check(stream, -1, &check);
        return LAB_EXIT_OK;
    }
    return run_items(&context, &plan, stream);
}
