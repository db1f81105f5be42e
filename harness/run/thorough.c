/* Checks every row on small, awkward problems rather than on a large, even one, before a
 * kernel is believed to be right. */
#include "run/run.h"

#include "base/files.h"
#include "base/status.h"
#include "families/family.h"
#include "options/options.h"
#include "report/json.h"
#include "series/registry.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    int passed, failed, skipped, unknown;
    int none; /* problems that no variant solves */
};

static struct tally count(const struct lab_result *run)
{
    struct tally tally = {0};
    for (int i = 0; i < run->row_count; i++) {
        const enum lab_check_status status = run->rows[i].check.status;
        if (!run->rows[i].is_baseline)
            *(status == LAB_CHECK_OK            ? &tally.passed
              : status == LAB_CHECK_SKIPPED     ? &tally.skipped
              : status == LAB_CHECK_UNSUPPORTED ? &tally.unknown
                                                : &tally.failed) += 1;
    }
    return tally;
}

static void print_failures(const struct lab_result *run)
{
    for (int i = 0; i < run->row_count; i++) {
        const struct lab_row *row = &run->rows[i];
        if (row->is_baseline || row->check.status == LAB_CHECK_OK ||
            row->check.status == LAB_CHECK_SKIPPED)
            continue;
        printf("    %s: %s", row->name, lab_check_status_name(row->check.status));
        if (row->check.line)
            printf(" at %s:%d", lab_shown_path(row->check.file), row->check.line);
        printf("\n      %s\n", row->check.message);
    }
}

/* Prints a problem as it is typed, and below it what failed. */
static void print_run(const char *problem, const struct lab_result *run)
{
    const struct tally tally = count(run);
    printf("  %-6s  %s",
           tally.failed    ? "failed"
           : tally.unknown ? "?"
           : tally.passed  ? "ok"
                           : "none",
           problem);
    if (tally.failed)
        printf(" (%d of %d variants)", tally.failed, tally.failed + tally.passed);
    else if (!tally.passed && !tally.unknown)
        printf(" (no variant solves it%s)", tally.skipped ? " on this GPU" : "");
    printf("\n");
    print_failures(run);
}

/* Takes all options but the problem from the command line. */
static void keep_rest(const struct lab_options *given, int number, struct lab_options *one)
{
    struct lab_options rest = *given;
    rest.problem = one->problem;
    rest.problem.seed = given->problem.seed + (uint64_t)number;
    rest.default_size = one->default_size;
    rest.deterministic = given->deterministic || one->deterministic;
    rest.check_only = true;
    *one = rest;
}

/* The i-th problem as it is typed; false after the last. */
static bool problem_of(const struct lab_options *options, bool on_gpu, int i, char *text,
                       size_t size)
{
    const struct lab_family *family =
        lab_family_find(lab_registry_target(options->targets[0])->family);
    int before = 0;
    if (!options->every_problem) {
        while (before < i && family->thorough[before])
            before++;
        snprintf(text, size, "%s", family->thorough[before] ? family->thorough[before] : "");
        return family->thorough[before] != NULL;
    }
    if (lab_family_test(family, i, on_gpu, text, size))
        return true;
    while (lab_family_test(family, before, on_gpu, text, size))
        before++;
    return lab_family_form_test(family, i - before, text, size);
}

/* The given kernel file as an earlier problem has loaded it, so that it is compiled only once;
 * NULL: it must be loaded. */
static const struct lab_step *source_of(const struct lab_options *options,
                                        const struct lab_result *run)
{
    for (int i = 0; i < run->row_count && options->source_count == 1 && !options->study; i++)
        if (!run->rows[i].is_baseline && !run->rows[i].is_reference)
            return run->rows[i].step;
    return NULL;
}

/* Checks the rows on one problem, with a seed of its own; `loaded` is the kernel file if it is
 * loaded already. */
static int try_problem(const struct lab_options *options, int number, const char *problem,
                       const struct lab_step *loaded, const struct lab_device *device,
                       const struct lab_run_plan *plan, struct lab_result *run)
{
    struct lab_options one;
    struct lab_option_text words;
    int status = lab_options_parse_text(options->targets[0], problem, &words, &one);
    if (status != LAB_EXIT_OK)
        return status;
    keep_rest(options, number, &one);
    if (loaded)
        one.step = loaded; /* else the options may have an exercise's */
    return lab_run_rows(&one, device, plan, run);
}

int lab_thorough_run(const struct lab_options *options, const struct lab_device *device,
                     const struct lab_run_plan *plan)
{
    const char *target = options->targets[0];
    const bool to_stdout = options->json && strcmp(options->json, "-") == 0;
    struct lab_sweep sweep = {.target = target, .is_sim = device->is_sim, .device = device};
    struct tally all = {0};
    char problem[256];
    int status = LAB_EXIT_OK, tried = 0;
    if (!to_stdout)
        printf("%s on %s\n\n", target, device->is_sim ? "the simulator" : device->properties.name);
    const struct lab_step *source = NULL;
    /* After a kernel's fault, this process can run no other kernel. */
    bool alive = true, more = true;
    while (status == LAB_EXIT_OK && alive &&
           (more = problem_of(options, !device->is_sim, tried, problem, sizeof problem))) {
        struct lab_result *run = calloc(1, sizeof *run);
        if (!run || sweep.count == LAB_MAX_RUNS) {
            free(run);
            status = lab_complain(LAB_EXIT_MISSING, "out of memory");
            break;
        }
        sweep.runs[sweep.count++] = run;
        status = try_problem(options, tried, problem, source, device, plan, run);
        if (status != LAB_EXIT_OK)
            break;
        tried++;
        if (run->row_count == 0) { /* it is of no interest here, in JSON either */
            all.none++;
            sweep.count--;
            lab_result_release(run);
            free(run);
            continue;
        }
        source = source_of(options, run);
        const struct tally tally = count(run);
        all.passed += tally.passed > 0 && !tally.failed && !tally.unknown;
        all.failed += tally.failed > 0;
        all.unknown += tally.unknown > 0;
        if (!to_stdout)
            print_run(problem, run);
        fflush(stdout);
        alive = cudaDeviceSynchronize() == cudaSuccess;
    }
    if (status == LAB_EXIT_OK && !alive && more && !to_stdout &&
        problem_of(options, !device->is_sim, tried, problem, sizeof problem))
        printf("\nthe problems after it were not tried: the fault leaves the device unusable\n");
    if (status == LAB_EXIT_OK && !to_stdout)
        printf("\n%d of %d problems solved by all variants\n", all.passed,
               all.passed + all.failed + all.unknown);
    if (status == LAB_EXIT_OK && !to_stdout && all.none)
        printf("%d more are for other steps\n", all.none);
    if (status == LAB_EXIT_OK && options->json)
        status = lab_json_write_sweep(&sweep, options->json);
    lab_sweep_release(&sweep);
    if (status != LAB_EXIT_OK)
        return status;
    return all.failed                   ? LAB_EXIT_FAILED
           : all.unknown || !all.passed ? LAB_EXIT_MISSING
                                        : LAB_EXIT_OK;
}
