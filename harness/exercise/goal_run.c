/* The lines of goal.txt hold words of the command line, so a student can type any test. */
#include "exercise/goal_run.h"

#include "base/text.h"
#include "base/status.h"
#include "exercise/recorded.h"
#include "families/problem.h"
#include "options/options.h"
#include "series/registry.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CONFIDENCE = 0.95;

/* What is taken of a run besides its check. */
enum lab_goal_run_taking {
    LAB_GOAL_RUN_CHECK,
    LAB_GOAL_RUN_AWKWARD,  /* also a check, of a problem that not all rows solve */
    LAB_GOAL_RUN_COUNTERS, /* the simulator's, also on a GPU, and times modelled from them */
};

/* Runs a target once, at the sizes that `line` gives. The target is "exerciseNN", which is replaced
 * by the student's rows, or "solutionNN". */
static int take_line(const struct lab_goal_run_context *context, const char *target,
                     const char *line, enum lab_goal_run_taking taking, struct lab_result *result)
{
    struct lab_options one;
    struct lab_option_text words;
    struct lab_run_plan plan = {.models = false};
    int status = lab_options_parse_text(target, line, &words, &one);
    if (status != LAB_EXIT_OK)
        return status;
    one.check_only = taking != LAB_GOAL_RUN_COUNTERS || !context->device->is_sim;
    one.thorough = taking == LAB_GOAL_RUN_AWKWARD;
    one.command = LAB_COMMAND_RUN; /* not the exercise's tests */
    one.without_cause = context->without_cause;
    one.arch = context->options->arch;
    one.sms = context->options->sms;
    if (strncmp(target, "exercise", 8) == 0)
        one.step = context->student;
    /* a child that counts on the simulator compiles the file itself */
    if (one.step && context->options->command == LAB_COMMAND_EXERCISE)
        one.sources[one.source_count++] = one.source = context->source;
    /* The simulator takes the counters even on a GPU: the goals are then the same everywhere. */
    if (taking == LAB_GOAL_RUN_COUNTERS && !context->device->is_sim)
        plan.profile = LAB_PROFILE_SIM;
    if (taking != LAB_GOAL_RUN_CHECK && taking != LAB_GOAL_RUN_AWKWARD)
        plan.counting = context->plan->counting;
    plan.counting.lines = plan.counting.counters; /* a goal may name a line */
    plan.counting.accesses = plan.counting.counters;
    return lab_run_rows(&one, context->device, &plan, result);
}

int lab_goal_run_count(const struct lab_goal_run_context *context, const char *target,
                       const char *line, struct lab_result *result)
{
    return take_line(context, target, line, LAB_GOAL_RUN_COUNTERS, result);
}

/* The first check that is not ok. A check that failed comes before one without a verdict. */
static void first_verdict(const struct lab_result *result, struct lab_check *check)
{
    *check = (struct lab_check){.status = LAB_CHECK_OK};
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        if (!row->is_baseline && row->check.status != LAB_CHECK_OK &&
            (check->status == LAB_CHECK_OK || (check->status == LAB_CHECK_UNSUPPORTED &&
                                               row->check.status != LAB_CHECK_UNSUPPORTED)))
            *check = row->check;
    }
}

static void drop(struct lab_result *results, int count)
{
    for (int i = 0; results && i < count; i++)
        lab_result_release(&results[i]);
    free(results);
}

static void exercise_name(const struct lab_goal_run_context *context, const char *kind,
                          char name[32])
{
    snprintf(name, 32, "%s%s", kind, context->entry->number);
}

bool lab_goal_run_device_lives(const struct lab_goal_run_context *context)
{
    bool lives = context->device->is_sim ? cudaDeviceReset() == cudaSuccess
                                         : cudaDeviceSynchronize() == cudaSuccess;
    cudaGetLastError(); /* or the next line would get it */
    return lives;
}

static int check_once(const struct lab_goal_run_context *context, const char *line,
                      enum lab_goal_run_taking taking, struct lab_check *check)
{
    struct lab_result *result = calloc(1, sizeof *result);
    if (!result)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    int status = take_line(context, context->options->targets[0], line, taking, result);
    if (status == LAB_EXIT_OK)
        first_verdict(result, check);
    drop(result, 1);
    return status;
}

/* Checks the family's awkward problems up to the first that fails. The message names it. */
static int check_thorough(const struct lab_goal_run_context *context, uint64_t seed,
                          struct lab_check *check)
{
    int status = LAB_EXIT_OK;
    bool go_on = true;
    const char *const *problem = lab_family_find(context->entry->family)->thorough;
    *check = (struct lab_check){.status = LAB_CHECK_OK};
    for (; *problem && go_on && status == LAB_EXIT_OK; problem++) {
        char line[LAB_EXERCISE_LINE];
        struct lab_check one = {.status = LAB_CHECK_OK};
        snprintf(line, sizeof line, "%s --seed %llu", *problem, (unsigned long long)seed);
        status = check_once(context, line, LAB_GOAL_RUN_AWKWARD, &one);
        const bool unknown = one.status == LAB_CHECK_UNSUPPORTED;
        if (one.status != LAB_CHECK_OK && (check->status == LAB_CHECK_OK || !unknown)) {
            snprintf(line, sizeof line, "%s: ", *problem);
            *check = one;
            lab_check_put_around(check, line, "");
        }
        go_on = (one.status == LAB_CHECK_OK || unknown) && lab_goal_run_device_lives(context);
    }
    return status;
}

int lab_goal_run_test(const struct lab_goal_run_context *context, const char *line,
                      struct lab_check *check)
{
    struct lab_options given;
    struct lab_option_text words;
    int status = lab_options_parse_text(context->options->targets[0], line, &words, &given);
    if (status != LAB_EXIT_OK)
        return status;
    return given.thorough ? check_thorough(context, given.problem.seed, check)
                          : check_once(context, line, LAB_GOAL_RUN_CHECK, check);
}

static bool is_speed(const struct lab_exercise_goal *goal)
{
    return strcmp(goal->counter, "speed") == 0;
}

/* The last row of the solution, or the last row of another target; if there is none, the last. */
static const struct lab_row *row_beside(const struct lab_result *result, const char *solution,
                                        bool of_solution)
{
    const struct lab_row *row = NULL, *last = NULL;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *r = &result->rows[i];
        if (r->is_baseline || r->is_reference || !r->step)
            continue;
        last = r;
        if ((strcmp(r->target, solution) == 0) == of_solution)
            row = r;
    }
    return row ? row : last;
}

void lab_goal_run_speed(const struct lab_result *result, const char *solution, double bar,
                        struct lab_speed *speed)
{
    struct lab_speed_pair pairs[LAB_MAX_SAMPLES];
    const struct lab_row *mine = row_beside(result, solution, false);
    const struct lab_row *theirs = row_beside(result, solution, true);
    *speed = (struct lab_speed){.verdict = LAB_SPEED_NOT_TAKEN};
    if (!mine || !theirs)
        return;
    int count = mine->time.sample_count < theirs->time.sample_count ? mine->time.sample_count
                                                                    : theirs->time.sample_count;
    for (int i = 0; i < count; i++) { /* there is only the device's clock */
        double a = mine->time.samples[i], b = theirs->time.samples[i];
        pairs[i] = (struct lab_speed_pair){a, b, a, b};
    }
    struct lab_speed_terms terms = {.bar = bar, .confidence = CONFIDENCE, .first_pairs = count};
    if (count)
        lab_speed_judge(pairs, count, &terms, speed);
}

/* Measures the exercise and its solution in one run, launch by launch in turn. */
static int measure_speed(const struct lab_goal_run_context *context, const char *solution,
                         const struct lab_exercise_goal *goal, struct lab_result *result,
                         struct lab_goal_outcome *outcome)
{
    struct lab_options both;
    struct lab_option_text words;
    const struct lab_options *given = context->options;
    const struct lab_run_plan plan = {.counting = context->plan->counting};
    *outcome = (struct lab_goal_outcome){.sizes = goal->timed[0] ? goal->timed : goal->options};
    int status = lab_options_parse_text(solution, outcome->sizes, &words, &both);
    if (status != LAB_EXIT_OK)
        return status;
    both.command = LAB_COMMAND_COMPARE;
    both.step = context->source ? context->student : NULL;
    if (context->source)
        both.sources[both.source_count++] = context->source;
    else if (strcmp(given->targets[0], solution) != 0)
        both.targets[both.target_count++] = given->targets[0];
    status = lab_run_rows(&both, context->device, &plan, result);
    if (status != LAB_EXIT_OK)
        return status;
    outcome->check = row_beside(result, solution, false)->check;
    lab_goal_run_speed(result, solution,
                       lab_exercise_goal_is_pace(goal) ? 1.0 / goal->factor : goal->factor,
                       &outcome->speed);
    outcome->got = outcome->speed.share;
    outcome->met = outcome->speed.verdict == LAB_SPEED_REACHED;
    return LAB_EXIT_OK;
}

/* Complains of a goal whose counter was not taken. */
static int complain_of_counter(const struct lab_result *result, const char *name)
{
    struct lab_spelling spelling = lab_spelling_of(name, (int)strlen(name));
    const struct lab_row *row = lab_goal_figure_row(result);
    lab_spelling_try(&spelling, "speed");
    for (int i = 0; row && i < row->counters.count; i++)
        lab_spelling_try(&spelling, row->counters.list[i].name);
    for (int i = 0; row && i < row->simulated.count; i++)
        lab_spelling_try(&spelling, row->simulated.list[i].name);
    return lab_complain(LAB_EXIT_MISSING, "there is no counter %s%s", name,
                        lab_spelling_suggest(&spelling));
}

/* Sectors of each load or store, and how many per cent of their bytes are used. */
static bool coalescing_of(const struct lab_result *result, const char *access, double *each,
                          double *used)
{
    char name[LAB_COUNTER_NAME_BYTES];
    double sectors, accesses;
    const struct lab_row *row = lab_goal_figure_row(result);
    if (!row)
        return false;
    const struct lab_counters *const counters =
        row->counters.count > 0 ? &row->counters : &row->simulated;
    snprintf(name, sizeof name, "smsp__inst_executed_op_global_%s.sum", access);
    const bool has_accesses = lab_counters_get(counters, name, &accesses) && accesses > 0.0;
    snprintf(name, sizeof name, "smsp__sass_average_data_bytes_per_sector_mem_global_op_%s.pct",
             access);
    const bool has_used = lab_counters_get(counters, name, used);
    snprintf(name, sizeof name, "l1tex__t_sectors_pipe_lsu_mem_global_op_%s.sum", access);
    if (!has_accesses || !has_used || !lab_counters_get(counters, name, &sectors))
        return false;
    *each = sectors / accesses;
    return true;
}

/* Wide accesses take more sectors, too, but use all of each; broadcasts use less of fewer. */
static void note_uncoalesced(const struct lab_result results[2], const char *counter,
                             struct lab_goal_outcome *outcome)
{
    double each[2], used[2];
    const char *const access = strstr(counter, "_sectors_pipe_lsu_mem_global_op_ld")   ? "ld"
                               : strstr(counter, "_sectors_pipe_lsu_mem_global_op_st") ? "st"
                                                                                       : NULL;
    if (!access || !coalescing_of(&results[0], access, &each[0], &used[0]) ||
        !coalescing_of(&results[1], access, &each[1], &used[1]) || each[0] < 1.2 * each[1] ||
        used[0] > used[1] / 1.2)
        return;
    outcome->sectors_each = each[0];
    outcome->solution_each = each[1];
}

/* Notes launches or blocks without work. They still load, so goals of all kinds are missed. */
static void note_more(const struct lab_row *row, const struct lab_row *solution, char *text,
                      size_t size)
{
    const struct lab_kernel_facts *const mine = &row->kernel, *const other = &solution->kernel;
    const double blocks = lab_shape_product(mine->grid), others = lab_shape_product(other->grid);
    if (!mine->known || !other->known)
        return;
    if (mine->launches > other->launches)
        snprintf(text, size,
                 "%d kernels are launched, the solution's are %d: does the problem take as many?",
                 mine->launches, other->launches);
    else if (mine->launches == 1 && other->launches == 1 && blocks < 2.0 * others &&
             lab_residents_may_idle(row, solution)) /* with as many, the tile is another */
        snprintf(text, size,
                 "%.0f blocks run, the solution's are %.0f: does the grid have more than the "
                 "problem needs?",
                 blocks, others);
}

/* Notes what may cause a missed goal. Repeated stores cost accesses of all kinds. */
static void note_causes(const struct lab_goal_run_context *context,
                        const struct lab_result results[2], const struct lab_exercise_goal *goal,
                        struct lab_goal_outcome *outcome)
{
    const struct lab_row *const mine = lab_goal_figure_row(&results[0]), *const other =
                                                                             lab_goal_figure_row(
                                                                                 &results[1]);
    const bool is_of_accesses =
        is_speed(goal) || lab_exercise_goal_is_pace(goal) || strstr(goal->counter, "_mem_") ||
        strstr(goal->counter, "_op_global_") || strstr(goal->counter, "_op_shared_");
    if (!mine || !other)
        return;
    if (is_of_accesses)
        lab_repeated_write(mine, other, outcome->repeated);
    lab_costly_line_write(mine, other, goal->counter, outcome->line);
    note_more(mine, other, outcome->more, sizeof outcome->more);
    if (is_speed(goal) || lab_exercise_goal_is_pace(goal))
        lab_residents_write_few(mine, other, context->device, outcome->residents);
    if (!*outcome->residents && (!(is_speed(goal) || lab_exercise_goal_is_pace(goal)) ||
                                 lab_residents_may_idle(mine, other)))
        lab_residents_write_many(mine, other, outcome->residents);
    if (!*outcome->residents && is_speed(goal))
        lab_residents_write_work(mine, other, outcome->residents);
    outcome->has_other_grid = *outcome->residents && !strstr(outcome->residents, "occupancy");
}

/* What a goal that was not met may come of. */
static void note_why(const struct lab_goal_run_context *context, const struct lab_result results[2],
                     const struct lab_exercise_goal *goal, struct lab_goal_outcome *outcome)
{
    outcome->local_bytes = is_speed(goal) ? lab_goal_figure_local_bytes(&results[0]) : 0;
    if (is_speed(goal) || lab_exercise_goal_is_pace(goal))
        outcome->limiter = lab_goal_figure_row(&results[0])->time.limiter;
    if (goal->is_known) /* no launch of the solution to compare with */
        return;
    note_uncoalesced(results, goal->counter, outcome);
    note_causes(context, results, goal, outcome);
}

/* A counter that the solution has is 0 where a kernel was counted and has none: rare ones, such as
 * those of tensor cores, are left out then. */
static bool own_figure(const struct lab_result *result, const struct lab_exercise_goal *goal,
                       double *value)
{
    const struct lab_row *const row = lab_goal_figure_row(result);
    if (lab_goal_figure(result, goal, value))
        return true;
    *value = 0.0;
    return row && row->counters.count > 0 && !is_speed(goal) && !lab_exercise_goal_is_pace(goal);
}

/* Compares a right kernel's figure with the solution's. */
static int compare_figures(const struct lab_goal_run_context *context,
                           const struct lab_result results[2], const struct lab_exercise_goal *goal,
                           struct lab_goal_outcome *outcome)
{
    note_why(context, results, goal, outcome);
    if (outcome->local_bytes > 0)
        return LAB_EXIT_OK;
    outcome->solution = goal->known;
    if ((!goal->is_known && !lab_goal_figure(&results[1], goal, &outcome->solution)) ||
        !own_figure(&results[0], goal, &outcome->got))
        return complain_of_counter(&results[0], goal->counter);
    const double bound = goal->factor * outcome->solution;
    if (goal->exactly && outcome->got < bound) /* no line costs too much */
        outcome->line[0] = '\0';
    outcome->met = outcome->got == bound ||
                   (!goal->exactly && (goal->least ? outcome->got > bound : outcome->got < bound));
    return LAB_EXIT_OK;
}

static bool is_measured(const struct lab_goal_run_context *context,
                        const struct lab_exercise_goal *goal)
{
    return (is_speed(goal) || lab_exercise_goal_is_pace(goal)) && !context->device->is_sim;
}

int lab_goal_run_together(const struct lab_goal_run_context *context,
                          const struct lab_exercise_goal *goals, int count)
{
    int together = 1;
    while (together < count && strcmp(goals[together].options, goals[0].options) == 0 &&
           !is_measured(context, &goals[0]) && !is_measured(context, &goals[together]))
        together++;
    return together;
}

/* At the sizes of goals a copy alone does not do what an exercise is about, however right C is. */
static void expect_kernel(const struct lab_result *result, struct lab_check *check)
{
    const struct lab_row *const row = lab_goal_figure_row(result);
    if (!row || row->kernel.launches > 0)
        return;
    check->status = LAB_CHECK_LAUNCH_ERROR;
    snprintf(check->message, sizeof check->message,
             "the launch function launched no kernel: the exercise asks for one");
}

/* Counts the exercise, and the solution where a goal needs it, and compares. */
static int count_and_compare(const struct lab_goal_run_context *context, const char *solution,
                             const struct lab_exercise_goal *goals, int count,
                             struct lab_result results[2], struct lab_goal_outcome *outcomes)
{
    struct lab_check check = {.status = LAB_CHECK_OK};
    bool is_known = true;
    int status = take_line(context, context->options->targets[0], goals[0].options,
                           LAB_GOAL_RUN_COUNTERS, &results[0]);
    if (status == LAB_EXIT_OK)
        first_verdict(&results[0], &check);
    if (status == LAB_EXIT_OK && check.status == LAB_CHECK_OK)
        expect_kernel(&results[0], &check);
    for (int i = 0; i < count; i++) {
        outcomes[i] = (struct lab_goal_outcome){.check = check, .sizes = goals[i].options};
        is_known = is_known && goals[i].is_known;
    }
    results[1].family = results[0].family; /* of recorded rows, too */
    results[1].facts = results[0].facts;
    if (status == LAB_EXIT_OK && check.status == LAB_CHECK_OK && !is_known)
        status = lab_registry_is_handout() ? lab_recorded_put(context->entry, goals[0].options,
                                                              context->device, &results[1])
                                           : take_line(context, solution, goals[0].options,
                                                       LAB_GOAL_RUN_COUNTERS, &results[1]);
    for (int i = 0; i < count && status == LAB_EXIT_OK && check.status == LAB_CHECK_OK; i++)
        status = compare_figures(context, results, &goals[i], &outcomes[i]);
    return status;
}

int lab_goal_run_goals(const struct lab_goal_run_context *context,
                       const struct lab_exercise_goal *goals, int count,
                       struct lab_goal_outcome *outcomes)
{
    char solution[32];
    struct lab_result *results = calloc(2, sizeof *results);
    if (!results)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    exercise_name(context, "solution", solution);
    const int status = is_measured(context, &goals[0])
                           ? measure_speed(context, solution, &goals[0], &results[0], &outcomes[0])
                           : count_and_compare(context, solution, goals, count, results, outcomes);
    drop(results, 2);
    return status;
}
