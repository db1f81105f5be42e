/* The commands that need a runtime: run one target, or compare several. Data flows one way: rows,
 * problem, check, time, report. */
#include "command/command.h"

#include "command/exercise.h"
#include "command/profile.h"
#include "command/rows.h"
#include "command/sanitize.h"
#include "command/step_file.h"
#include "command/sweep.h"
#include "command/sweep_apsp.h"
#include "command/trial.h"
#include "list.h"
#include "measure/checking.h"
#include "measure/energy.h"
#include "measure/modelled.h"
#include "measure/timing.h"
#include "families/buffer.h"
#include "registry.h"
#include "report/counter_table.h"
#include "report/json.h"
#include "report/line_difference.h"
#include "report/line_table.h"
#include "report/table.h"
#include "sim/lab_sim.h"
#include "status.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The reference is only timed and profiled: not on the simulator. */
static bool wants_reference(const struct lab_options *options, const struct lab_result *result)
{
    return !result->is_sim && (!options->check_only || options->profile);
}

static int variant_unknown(const struct lab_step *step, const char *variant)
{
    char names[512] = "";
    for (int i = 0; i < step->row_count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 step->rows[i].name);
    return lab_complain(LAB_EXIT_USAGE, "no variant '%s'; this step has: %s", variant, names);
}

static int load_target(const char *target, const struct lab_step **step)
{
    char why[1024];
    *step = lab_step_file_load(target, why, sizeof why);
    return *step ? LAB_EXIT_OK : lab_complain(LAB_EXIT_MISSING, "%s %s", target, why);
}

/* A kernel file that does not build is a result too: it has a status and no rows. */
static int report_build_error(const struct lab_options *options, struct lab_result *result,
                              const struct lab_check *check)
{
    result->family = lab_family_find("gemm");
    struct lab_row *row = &result->rows[result->row_count++];
    *row = (struct lab_row){.target = options->targets[0], .parent = "", .check = *check};
    snprintf(row->name, sizeof row->name, "%s", options->targets[0]);
    return options->json ? lab_json_write(result, options->json) : LAB_EXIT_OK;
}

/* True when the reference is among the rows that the step itself will add. */
static bool is_own_row(const struct lab_options *options, const struct lab_step *step)
{
    const struct lab_family *family = lab_family_find(step->family);
    for (int i = 0; family->reference_in_step && i < step->row_count; i++) {
        const char *name = step->rows[i].name;
        if (strcmp(name, family->reference) == 0 &&
            (!options->variant || strcmp(options->variant, name) == 0))
            return true;
    }
    return false;
}

/* A file may stand in place of a step's own only where it solves the same problem; exercises have
 * conditions of their own. */
static int check_source_family(const struct lab_options *options, const struct lab_step *step)
{
    const char *wanted = lab_registry_target(options->targets[0])->family, *found = step->family;
    if (!options->source || lab_registry_exercise(options->targets[0]) ||
        strcmp(wanted, found) == 0)
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_USAGE, "%s solves another problem, %s, than %s, %s",
                        options->source, lab_family_find(found)->title, options->targets[0],
                        lab_family_find(wanted)->title);
}

static int gather_one(const struct lab_options *options, struct lab_result *result)
{
    const struct lab_step *step;
    const char *target = options->targets[0];
    struct lab_check check = {.status = LAB_CHECK_OK};
    int status = LAB_EXIT_OK;
    if (options->step)
        step = options->step;
    else
        status = options->source ? lab_step_file_source(options->source, &step, &check)
                                 : load_target(target, &step);
    if (check.status != LAB_CHECK_OK)
        report_build_error(options, result, &check);
    if (status == LAB_EXIT_OK)
        status = check_source_family(options, step);
    if (status != LAB_EXIT_OK)
        return status;
    result->family = lab_family_find(step->family);
    bool own_reference = is_own_row(options, step);
    if (wants_reference(options, result)) {
        if (!own_reference)
            lab_rows_add_reference(result, result->family, target);
        lab_rows_add_baselines(result, target, result->family);
    }
    /* A modelled time says most beside that of step 01. */
    if (result->is_sim && options->profile && !options->check_only && !options->under_tool &&
        !options->lines)
        lab_rows_add_baselines(result, target, result->family);
    int first = result->row_count;
    if (lab_rows_add_step(result, step, target, options->variant, false) == 0)
        return variant_unknown(step, options->variant);
    if (options->deterministic)
        lab_rows_add_deterministic(result, first);
    return LAB_EXIT_OK;
}

/* The i-th thing to compare: a target, or after those a kernel file. */
static int load_compared(const struct lab_options *options, int i, const struct lab_step **step)
{
    if (i < options->target_count)
        return load_target(options->targets[i], step);
    struct lab_check check = {.status = LAB_CHECK_OK};
    return lab_step_file_source(options->sources[i - options->target_count], step, &check);
}

/* The last part of a path. */
static const char *last_part(const char *path)
{
    const char *name = strrchr(path, '/');
    return name ? name + 1 : path;
}

/* A kernel file goes by its name, with its folder's where another has the same. */
static const char *name_compared(const struct lab_options *options, int i)
{
    if (i < options->target_count)
        return options->targets[i];
    const char *path = options->sources[i - options->target_count], *name = last_part(path);
    bool alone = true;
    for (int other = 0; other < options->source_count; other++)
        alone = alone && (other == i - options->target_count ||
                          strcmp(last_part(options->sources[other]), name) != 0);
    for (const char *c = name - 1; !alone && c > path; c--)
        if (c[-1] == '/' || c - 1 == path)
            return c[-1] == '/' ? c : path;
    return name;
}

static int gather_several(const struct lab_options *options, struct lab_result *result)
{
    int found = 0, first = 0;
    for (int i = 0; i < options->target_count + options->source_count; i++) {
        const struct lab_step *step;
        const char *name = name_compared(options, i);
        int status = load_compared(options, i, &step);
        if (status != LAB_EXIT_OK)
            return status;
        if (i == 0) {
            result->family = lab_family_find(step->family);
            if (wants_reference(options, result) && !is_own_row(options, step))
                lab_rows_add_reference(result, result->family, name);
            first = result->row_count;
        }
        if (lab_family_find(step->family) != result->family)
            return lab_complain(LAB_EXIT_USAGE, "%s and %s solve different problems",
                                name_compared(options, 0), name);
        found += lab_rows_add_step(result, step, name, options->variant, true);
    }
    if (found == 0)
        return lab_complain(LAB_EXIT_USAGE, "no target has a variant '%s'", options->variant);
    if (options->deterministic)
        lab_rows_add_deterministic(result, first);
    return LAB_EXIT_OK;
}

static void check_rows(struct lab_problem *problem, const struct lab_device *device,
                       const struct lab_counting *counting, struct lab_result *result)
{
    bool alive = true, show = isatty(STDERR_FILENO);
    for (int i = 0; i < result->row_count; i++) {
        struct lab_row *row = &result->rows[i];
        if (show)
            fprintf(stderr, "\rchecking %s (%d of %d) \033[K", row->name, i + 1, result->row_count);
        if (alive) {
            alive = lab_check_row(result->family, problem, device, counting, row);
            continue;
        }
        row->check.status = LAB_CHECK_NOT_RUN;
        snprintf(row->check.message, sizeof row->check.message,
                 "an earlier kernel left the GPU unusable for this process; run this row with "
                 "--variant");
    }
    if (show)
        fprintf(stderr, "\r\033[K");
}

/* On the simulator the slowest of the targets decides. */
static int default_size(const struct lab_options *options, const struct lab_result *result)
{
    int size = result->family->default_size;
    if (result->is_sim && options->target_count == 0)
        return LAB_SOURCES_SIM_SIZE;
    for (int i = 0; result->is_sim && i < options->target_count; i++) {
        int limit = lab_registry_target(options->targets[i])->sim_size;
        size = limit < size ? limit : size;
    }
    return size;
}

/* Rows whose scratch memory the device does not have are refused before anything runs. */
static int check_scratch(struct lab_problem *problem, const struct lab_result *result)
{
    size_t free_bytes = 0, total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        size_t bytes = result->family->row_bytes(problem, row->step, row->index);
        if (bytes + 4 * LAB_GUARD_BYTES > free_bytes)
            return lab_complain(LAB_EXIT_USAGE,
                                "%s needs %.1f GiB of scratch memory, %.1f GiB are free; give "
                                "smaller sizes, or another row with --variant",
                                row->name, (double)bytes / (1 << 30),
                                (double)free_bytes / (1 << 30));
    }
    return LAB_EXIT_OK;
}

static int measure(const struct lab_options *options, const struct lab_device *device,
                   const struct lab_counting *counting, struct lab_result *result)
{
    struct lab_problem *problem = NULL;
    cudaStream_t stream = NULL;
    if (cudaStreamCreate(&stream) != cudaSuccess)
        return lab_complain(LAB_EXIT_MISSING, "the CUDA device cannot be used: %s",
                            cudaGetErrorString(cudaGetLastError()));
    int status = result->family->open(options, default_size(options, result), stream, &problem);
    if (status == LAB_EXIT_OK)
        status = check_scratch(problem, result);
    if (status == LAB_EXIT_OK && result->family->make_reference)
        status = result->family->make_reference(problem);
    if (status == LAB_EXIT_OK) {
        result->family->facts(problem, &result->facts);
        check_rows(problem, device, counting, result);
        if (!options->check_only)
            lab_modelled_rows(result);
        if (!device->is_sim && !options->check_only && !options->under_tool) {
            cudaError_t error =
                lab_time_rows(result->family, problem, options->reps, stream, result);
            if (error == cudaSuccess && options->with_copies)
                error = lab_time_with_copies(result->family, problem, stream, result);
            if (error == cudaSuccess && options->energy)
                error = lab_energy_measure(result->family, problem, stream, result);
            if (error != cudaSuccess)
                status = lab_complain(LAB_EXIT_FAILED, "timing ended early: %s",
                                      cudaGetErrorString(error));
        }
    }
    if (status == LAB_EXIT_OK && result->family->conclude && !options->under_tool &&
        lab_result_status(result) == LAB_CHECK_OK)
        status = result->family->conclude(problem, &result->conclusion);
    result->measured = status == LAB_EXIT_OK;
    result->family->close(problem);
    cudaStreamDestroy(stream);
    return status;
}

/* A kernel file is built with line information or without, all its rows alike. */
static int complain_of_lines(const struct lab_result *result)
{
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].check.status == LAB_CHECK_OK && result->rows[i].lines.count == 0)
            return lab_complain(LAB_EXIT_USAGE,
                                "--lines: '%s' was built without line information; build it with "
                                "nvcc -lineinfo",
                                result->rows[i].name);
    return LAB_EXIT_OK;
}

static int report(const struct lab_options *options, const struct lab_result *result)
{
    bool to_stdout = options->json && strcmp(options->json, "-") == 0;
    bool passed = lab_result_status(result) == LAB_CHECK_OK;
    if (!to_stdout) {
        lab_table_print(result, stdout);
        lab_counter_table_print(result, stdout);
        lab_line_table_print(result, stdout);
        if (options->command == LAB_COMMAND_COMPARE)
            lab_line_difference_print(result, stdout);
    }
    int status = options->json ? lab_json_write(result, options->json) : LAB_EXIT_OK;
    if (passed && !options->source && !options->variant && options->command == LAB_COMMAND_RUN)
        lab_list_note_passed(options->targets[0], result->is_sim);
    return status != LAB_EXIT_OK ? status : passed ? LAB_EXIT_OK : LAB_EXIT_FAILED;
}

/* Of a run under a tool the parent reports; it hears the verdict, and the counters if it asked. */
static int report_to_parent(const struct lab_options *options, const struct lab_result *result)
{
    if (options->counters_to) {
        int status = lab_profile_hand_over(result, options->counters_to);
        if (status != LAB_EXIT_OK)
            return status;
    }
    return lab_result_status(result) == LAB_CHECK_OK ? LAB_EXIT_OK : LAB_EXIT_FAILED;
}

/* The harness prints faults itself, with the row that caused them. */
static void quieten_simulator(void)
{
    __typeof__(lab_sim_set_quiet) *set = dlsym(RTLD_DEFAULT, "lab_sim_set_quiet");
    if (set)
        set(1);
}

/* A GPU checks no more than it does anyway. */
static void drop_checks(void)
{
    __typeof__(lab_sim_set_checks) *set = dlsym(RTLD_DEFAULT, "lab_sim_set_checks");
    if (set)
        set(0);
}

static int take_rows(const struct lab_options *options, const struct lab_device *device,
                     const struct lab_counting *counting, struct lab_result *result)
{
    bool several = options->command == LAB_COMMAND_COMPARE;
    result->target = several ? "compare" : options->targets[0];
    result->is_sim = device->is_sim;
    result->device = device;
    result->seed = options->seed;
    result->warm = options->warm;
    result->energy = options->energy;
    int status = several ? gather_several(options, result) : gather_one(options, result);
    if (status == LAB_EXIT_OK) {
        lab_rows_drop_unfit(result, options);
        if (result->row_count == 0)
            status = lab_complain(LAB_EXIT_USAGE, "no row does what these options ask for");
    }
    if (status == LAB_EXIT_OK && !options->sanitize)
        status = measure(options, device, counting, result);
    if (status == LAB_EXIT_OK && !options->under_tool && !options->sanitize)
        status = lab_profile_take(options, result);
    return status;
}

static int take_and_report(const struct lab_options *options, const struct lab_device *device,
                           const struct lab_counting *counting, struct lab_result *result)
{
    int status = take_rows(options, device, counting, result);
    if (status == LAB_EXIT_OK && options->sanitize)
        return lab_sanitize(options, stdout);
    if (status == LAB_EXIT_OK && options->under_tool)
        return report_to_parent(options, result);
    if (status == LAB_EXIT_OK && options->lines)
        status = complain_of_lines(result);
    /* What was measured before is not lost; a file is written only of a whole run. */
    if (status != LAB_EXIT_OK && result->measured &&
        !(options->json && strcmp(options->json, "-") == 0))
        lab_table_print(result, stdout);
    return status == LAB_EXIT_OK ? report(options, result) : status;
}

static int run_rows(const struct lab_options *options, bool is_sim,
                    const struct lab_counting *counting, struct lab_result *result)
{
    struct lab_device device;
    int status = lab_device_open(is_sim, &device);
    if (status != LAB_EXIT_OK)
        return status;
    if (options->fast)
        drop_checks();
    quieten_simulator();
    if (options->command == LAB_COMMAND_EXERCISE)
        return lab_exercise_run(options, &device, counting, take_rows);
    if (options->command == LAB_COMMAND_TRIAL)
        return lab_trial_run(options, &device, counting, take_rows);
    if (options->command == LAB_COMMAND_SWEEP &&
        strcmp(lab_registry_target(options->targets[0])->family, "apsp") == 0)
        return lab_sweep_apsp(options, &device, counting, take_rows);
    return options->command == LAB_COMMAND_SWEEP
               ? lab_sweep(options, &device, counting, take_rows)
               : take_and_report(options, &device, counting, result);
}

__attribute__((visibility("default"))) int lab_command(const struct lab_options *given,
                                                       const struct lab_runtime *runtime)
{
    struct lab_options options = *given;
    struct lab_counting counting;
    struct lab_result *result = calloc(1, sizeof *result);
    int status = result ? LAB_EXIT_OK : lab_complain(LAB_EXIT_MISSING, "out of memory");
    if (status == LAB_EXIT_OK && options.json)
        status = lab_json_check(options.json);
    /* On the simulator a study's times come from the counters, and so do an exercise's goals. */
    if ((options.command == LAB_COMMAND_SWEEP || options.command == LAB_COMMAND_EXERCISE ||
         options.command == LAB_COMMAND_TRIAL) &&
        runtime->is_sim)
        options.profile = LAB_PROFILE_AUTO;
    if (status == LAB_EXIT_OK)
        status = lab_profile_prepare(&options, runtime->is_sim, &counting);
    if (status == LAB_EXIT_OK && options.sanitize)
        status = lab_sanitize_check(runtime->is_sim);
    if (status == LAB_EXIT_OK && options.with_copies && runtime->is_sim)
        status = lab_complain(LAB_EXIT_MISSING, "--with-copies needs a GPU: the simulator's memory "
                                                "is the host's, and nothing is copied");
    if (status == LAB_EXIT_OK)
        status = run_rows(&options, runtime->is_sim, &counting, result);
    if (result)
        lab_result_release(result);
    free(result);
    return status;
}
