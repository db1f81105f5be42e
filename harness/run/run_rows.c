/* Data flows one way: rows, problem, check, time, result. */
#include "run/run.h"

#include "base/progress.h"
#include "base/status.h"
#include "families/buffer.h"
#include "measure/checking.h"
#include "measure/timing/nvml.h"
#include "measure/model/model.h"
#include "measure/timing/timing.h"
#include "run/clock_reads.h"
#include "run/foretell.h"
#include "run/rows.h"
#include "run/plan.h"
#include "series/registry.h"
#include "base/simulator.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A figure that a family names in place of times; NAN: not counted. */
static double figure_of(const struct lab_counters *counters, const struct lab_counted *counted)
{
    double value, per = 1.0;
    if (!counted->title || !lab_counters_get(counters, counted->counter, &value) ||
        (counted->per && !lab_counters_get(counters, counted->per, &per)) || per <= 0.0)
        return NAN;
    return value / per;
}

void lab_run_note_counted(const struct lab_family *family, struct lab_row *row)
{
    for (int i = 0; i < LAB_MAX_COUNTED; i++)
        row->counted[i] = figure_of(&row->counters, &family->counted[i]);
}

/* Skips a study's kernel that is too large for the GPU: a study shows that limit, so it is no
 * failure. */
static void skip_too_large(const struct lab_device *device, struct lab_row *row)
{
    char why[256];
    if (row->check.status != LAB_CHECK_LAUNCH_ERROR || !lab_registry_is_study(row->stage) ||
        !lab_kernel_facts_too_large(device, why, sizeof why))
        return;
    row->check = (struct lab_check){.status = LAB_CHECK_SKIPPED};
    snprintf(row->check.message, sizeof row->check.message, "cannot be launched: %s", why);
}

static void check_rows(struct lab_problem *problem, const struct lab_options *options,
                       const struct lab_device *device, const struct lab_counting *counting,
                       struct lab_foretold *foretold, struct lab_result *result)
{
    struct lab_progress_line progress;
    bool alive = true;
    for (int i = 0; i < result->row_count; i++) {
        struct lab_row *row = &result->rows[i];
        if (row->stage && !lab_device_runs(device, row->stage->arch)) {
            row->check.status = LAB_CHECK_SKIPPED;
            snprintf(row->check.message, sizeof row->check.message, "needs sm_%s%s; this GPU is %s",
                     row->stage->arch, strchr(row->stage->arch, 'a') ? "" : " or newer",
                     device->arch);
            continue;
        }
        if (alive) {
            lab_progress_begin(&progress, device->is_sim, "%s %s (%d of %d)",
                               counting->counters ? "checking and counting" : "checking", row->name,
                               i + 1, result->row_count);
            alive = lab_check_row(problem, device, counting, row);
            skip_too_large(device, row);
            lab_progress_end(&progress);
            lab_foretell_again(foretold, options, result, i + 1);
            continue;
        }
        row->check.status = LAB_CHECK_NOT_RUN;
        snprintf(row->check.message, sizeof row->check.message,
                 "an earlier kernel left the GPU unusable for this process; run this variant with "
                 "--variant");
    }
}

/* Refuses, before anything runs, rows whose scratch memory the device does not have. */
static int check_scratch(struct lab_problem *problem, const struct lab_result *result)
{
    size_t free_bytes = 0, total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        size_t bytes = lab_problem_variant_bytes(problem, row->step, row->index);
        if (bytes > LAB_MOST_SCRATCH_BYTES)
            continue; /* the check of the row reports it */
        if (bytes + 4 * LAB_GUARD_BYTES > free_bytes)
            return lab_complain(LAB_EXIT_USAGE,
                                "%s needs %.1f GiB of scratch memory, %.1f GiB are free; give "
                                "smaller sizes, or another variant with --variant",
                                row->name, (double)bytes / (1 << 30),
                                (double)free_bytes / (1 << 30));
    }
    return LAB_EXIT_OK;
}

/* Adds a row with the host's time as the reference, before the rows that are compared with it. */
static void add_host(const struct lab_problem *problem, struct lab_result *result)
{
    struct lab_progress_line progress;
    lab_progress_begin(&progress, false, "timing the host");
    const double ms = result->family->host_ms(problem);
    lab_progress_end(&progress);
    if (ms <= 0.0 || result->row_count == LAB_MAX_ROWS)
        return;
    memmove(&result->rows[1], &result->rows[0], result->row_count++ * sizeof *result->rows);
    struct lab_row *row = &result->rows[0];
    *row = (struct lab_row){
        .index = LAB_REFERENCE, .target = "", .is_baseline = true, .is_reference = true};
    snprintf(row->name, sizeof row->name, "%s", result->family->reference);
    lab_times_summarise(&row->time, &ms, 1);
}

/* Sets what a thread block may execute on the simulator before it counts as endless: sixteen basic
 * blocks for each operation of the problem, as if one thread did all of it inefficiently, and some
 * millions, a second or two, for work that does not grow with the problem. A launch may execute
 * four times as much. */
static void set_budget(double flops)
{
    static const double LEAST = 4e6, EACH = 16.0, MOST = 256e6, LAUNCH = 4.0;
    const double budget = LEAST + EACH * flops;
    if (lab_simulator())
        lab_simulator()->set_budget((uint64_t)(budget < MOST ? budget : MOST),
                                    (uint64_t)(LAUNCH * budget));
}

/* Sends what kernels print to standard error, if standard output is for JSON alone. On a GPU,
 * kernels print below the C library, so the descriptor itself is exchanged. Returns the descriptor
 * to restore, or -1. */
static int divert_output(const struct lab_options *options)
{
    if (!options->json || strcmp(options->json, "-") != 0)
        return -1;
    fflush(stdout);
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (kept >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return kept;
}

static void restore_output(int kept)
{
    if (kept < 0)
        return;
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

/* Larger problems are not checked with a second seed: the host computes the expected outputs, and
 * the simulator takes longer still. State kept between launches shows at small sizes. */
static const double MOST_FLOPS = 1e10, MOST_SIMULATED_FLOPS = 5e6;

static int measure(const struct lab_options *options, const struct lab_run_plan *plan,
                   const struct lab_device *device, struct lab_result *result)
{
    struct lab_problem *problem = NULL;
    cudaStream_t stream = NULL;
    if (cudaStreamCreate(&stream) != cudaSuccess)
        return lab_complain(LAB_EXIT_MISSING, "the CUDA device cannot be used: %s",
                            cudaGetErrorString(cudaGetLastError()));
    struct lab_foretold foretold;
    struct lab_progress_line progress;
    lab_progress_begin(&progress, false, "making the problem");
    int status = lab_problem_open(result->family, options, result->default_size, stream, &problem);
    lab_progress_end(&progress);
    if (status == LAB_EXIT_OK)
        status = check_scratch(problem, result);
    if (status == LAB_EXIT_OK)
        problem->takes_errors =
            lab_result_shows_errors(result) && !lab_registry_exercise(options->targets[0]);
    if (status == LAB_EXIT_OK) {
        lab_problem_facts(problem, &result->facts);
        lab_foretell(&foretold, options, result, plan->counting.counters);
        lab_progress_begin_share(&progress, &problem->expected_share, "computing what is expected");
        status = lab_problem_make_reference(problem);
        lab_progress_end(&progress);
    }
    if (status == LAB_EXIT_OK) {
        lab_problem_facts(problem, &result->facts); /* with figures from the reference */
        if (device->is_sim)
            set_budget(fmax(result->facts.flops, result->facts.bytes));
        if (!options->thorough) /* each of its problems has a new seed already */
            lab_problem_open_other(problem, result->default_size,
                                   device->is_sim ? MOST_SIMULATED_FLOPS : MOST_FLOPS);
        check_rows(problem, options, device, &plan->counting, &foretold, result);
        lab_problem_close_other(problem);
        result->beside = plan->recorded;
        result->counted = plan->counts;
        for (int i = 0; i < result->row_count && plan->counts; i++)
            lab_run_note_counted(result->family, &result->rows[i]);
        if (!plan->counts && !options->check_only)
            lab_modelled_rows(result);
        const bool unasked = (plan->models || plan->counts) && !plan->profile &&
                             !options->roofline && !options->html;
        for (int i = 0; i < result->row_count && unasked; i++)
            result->rows[i].counters.count = 0;
        if (!device->is_sim && !options->check_only && !options->under_tool) {
            cudaError_t error = lab_time_rows(problem, options->reps, stream, result);
            if (error == cudaSuccess && options->with_copies)
                error = lab_time_with_copies(problem, stream, result);
            if (error == cudaSuccess && options->energy)
                error = lab_energy_measure(problem, stream, result);
            if (error == cudaSuccess && result->family->host_ms && !options->without_host)
                add_host(problem, result);
            if (error != cudaSuccess)
                status = lab_complain(LAB_EXIT_FAILED, "timing ended early: %s",
                                      cudaGetErrorString(error));
        }
    }
    if (status == LAB_EXIT_OK && result->family->conclude && !options->under_tool &&
        lab_result_status(result) == LAB_CHECK_OK) {
        lab_progress_begin(&progress, device->is_sim, "reading the solution");
        status = result->family->conclude(problem, &result->conclusion);
        lab_progress_end(&progress);
    }
    if (status == LAB_EXIT_OK && options->clocks)
        lab_clock_reads_take(problem, options->watched_block, result);
    result->measured = status == LAB_EXIT_OK;
    lab_problem_close(problem);
    cudaStreamDestroy(stream);
    return status;
}

int lab_run_rows(const struct lab_options *options, const struct lab_device *device,
                 const struct lab_run_plan *plan, struct lab_result *result)
{
    bool several = options->command == LAB_COMMAND_COMPARE;
    result->target = several ? "compare" : options->targets[0];
    result->is_sim = device->is_sim;
    result->device = device;
    result->seed = options->problem.seed;
    result->warm = options->warm;
    result->energy = options->energy;
    int status = lab_gather_rows(options, plan, result);
    if (status == LAB_EXIT_OK)
        result->default_size = lab_run_plan_size(options, plan, result);
    if (status == LAB_EXIT_OK && !options->sanitize) {
        const int kept = divert_output(options);
        status = measure(options, plan, device, result);
        restore_output(kept);
    }
    if (status == LAB_EXIT_OK && !options->under_tool && !options->sanitize)
        status = lab_profile_take(options, plan, result);
    return status;
}
