/* Which rows a run has, and what each is compared with. */
#include "run/plan.h"
#include "run/rows.h"
#include "base/status.h"
#include "measure/checking.h"
#include "families/problem.h"
#include "tests/made_kernel.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(rows, the_reference_is_what_shares_refer_to)
{
    struct lab_result *result = calloc(1, sizeof *result);
    lab_rows_add_reference(result, lab_family_find("gemm"), "step07");
    cr_assert_eq(result->row_count, 1);
    cr_expect(result->rows[0].is_reference && result->rows[0].is_baseline);
    cr_expect_eq(result->rows[0].index, LAB_REFERENCE);
    cr_expect_str_eq(result->rows[0].name, "cublas");
    cr_expect_null(result->rows[0].step);
    free(result);
}

/* What solves a lesser problem stands beside it, and no share refers to it. */
Test(rows, other_library_rows_are_no_reference)
{
    struct lab_result *result = calloc(1, sizeof *result);
    lab_rows_add_reference(result, lab_family_find("trmm"), "step09");
    cr_assert_eq(result->row_count, 3);
    cr_expect(result->rows[0].is_reference && !result->rows[1].is_reference);
    cr_expect(result->rows[1].is_baseline && result->rows[2].is_baseline);
    cr_expect_eq(result->rows[1].index, LAB_FURTHER_REFERENCE);
    cr_expect_eq(result->rows[2].index, LAB_FURTHER_REFERENCE - 1);
    cr_expect_str_eq(result->rows[1].name, "cublas_in_place");
    cr_expect_str_eq(result->rows[2].name, "cublas_alone");
    free(result);
}

/* A step's stages are rows of one table, in their order, each over the one before it; a stage alone
 * has the first and its parent above it. */
Test(rows, of_stages)
{
    static struct run_lab result;
    run_lab(&result, "step09 -n 33 --profile --runtime sim --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *columns = strstr(result.out, "\"name\": \"global\"");
    const char *tiles = strstr(result.out, "\"name\": \"shared_ab_split\"");
    const char *blocks = strstr(result.out, "\"name\": \"blocks_2d\"");
    cr_assert(columns && tiles && blocks && columns < tiles && tiles < blocks, "%s", result.out);
    cr_expect(strncmp(strstr(blocks, "\"stage\": "), "\"stage\": \"09.4\"", 15) == 0);
    const double ms = run_lab_figure(blocks, "median");
    cr_expect_float_eq(run_lab_figure(blocks, "over_first"), run_lab_figure(columns, "median") / ms,
                       1e-6);
    cr_expect_float_eq(run_lab_figure(blocks, "over_parent"), run_lab_figure(tiles, "median") / ms,
                       1e-6);
    run_lab(&result, "step09.4 -n 33 --profile --runtime sim");
    const char *first = strstr(result.out, "\nstep09.global ");
    const char *parent = strstr(result.out, "\nstep09.shared_ab_split ");
    const char *own = strstr(result.out, "\nblocks_2d ");
    cr_expect(first && parent && own && first < parent && parent < own, "%s", result.out);
    cr_expect(!strstr(result.out, "tile_per_block") && !strstr(result.out, "stage"), "%s",
              result.out);
    run_lab(&result, "step09 -n 8 --runtime sim");
    cr_expect(strstr(result.out, "\nstage  kernel "), "%s", result.out);
    cr_expect(strstr(result.out, "\n09.2   shared_ab "), "%s", result.out);
    run_lab(&result, "compare step09.2 step09.4 -n 8 --runtime sim");
    cr_expect(strstr(result.out, "\nstep09.2.shared_ab ") && !strstr(result.out, "stage"), "%s",
              result.out);
}

/* The rows of a stage that this GPU cannot run are skipped, and nothing has failed. */
Test(rows, of_a_stage_for_other_gpus)
{
    static struct run_lab result;
    run_lab(&result, "step09 -n 8 --runtime sim --arch m2070 --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *newer = strstr(result.out, "\"name\": \"tile_per_block\"");
    cr_assert(newer, "%s", result.out);
    cr_expect(strstr(newer, "\"status\": \"skipped\""), "%s", newer);
    cr_expect(strstr(newer, "needs sm_75 or newer; this GPU is sm_20"), "%s", newer);
    cr_expect(strstr(result.out, "  \"status\": \"ok\""), "%s", result.out);
    run_lab(&result, "step09.5 -n 8 --runtime sim --arch m2070 --json -");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "\n  \"status\": \"skipped\""), "%s", result.out);
}

/* Steps 01 and 06 stand above step 07's own rows, with their last rows; the speedup over the parent
 * is over that of the stage before. */
Test(rows, of_step07)
{
    static struct run_lab result;
    run_lab(&result, "step07 -m 64 --profile --runtime sim --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *first = strstr(result.out, "\"name\": \"step01.coalesced\"");
    const char *parent = strstr(result.out, "\"name\": \"step06.double_buffered\"");
    const char *scalar = strstr(result.out, "\"name\": \"pointers\"");
    const char *before = strstr(result.out, "\"name\": \"conflict\"");
    const char *last = strstr(result.out, "\"name\": \"placed\"");
    cr_assert(first && parent && scalar && before && last, "%s", result.out);
    cr_expect(first < parent && parent < scalar && scalar < before && before < last);
    const double ms = run_lab_figure(last, "median");
    cr_expect_float_eq(run_lab_figure(last, "over_first"), run_lab_figure(first, "median") / ms,
                       1e-6);
    cr_expect_float_eq(run_lab_figure(last, "over_parent"), run_lab_figure(before, "median") / ms,
                       1e-6);
    cr_expect_float_eq(run_lab_figure(scalar, "over_parent"),
                       run_lab_figure(parent, "median") / run_lab_figure(scalar, "median"), 1e-6);
    cr_expect_float_eq(run_lab_figure(last, "gflops"), 2.0 * 64 * 64 * 64 / ms * 1e-6, 1e-5);
    /* counted by the simulator as a whole, and by its counters */
    cr_expect_eq(run_lab_figure(last, "ptx_warp_instructions"),
                 run_lab_figure(last, "lab__ptx_inst_executed.sum"));
    cr_expect_eq(run_lab_figure(result.out, "alpha"), 1);
    cr_expect_eq(run_lab_figure(result.out, "beta"), 0);
    cr_expect_eq(run_lab_figure(result.out, "m"), 64);
    cr_expect_eq(run_lab_figure(result.out, "k"), 64, "one size is a cube");
}

Test(rows, of_several_names)
{
    static struct run_lab result;
    run_lab(&result, "step09 -n 8 -m 8 --check-only --runtime sim --variant shared_ab,global");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "global ") && strstr(result.out, "shared_ab "), "%s", result.out);
    cr_expect(!strstr(result.out, "shared_ab_split") && !strstr(result.out, "shared_a "));
    run_lab_expect_error(2, "no variant 'shared'", "step09 -n 8 --variant global,shared");
    run_lab_expect_error(2, "no variant ''", "step09 -n 8 --variant global,");
    cr_expect(lab_variant_named(NULL, "a") && lab_variant_named("b,a", "a"));
    cr_expect(!lab_variant_named("ab,ba", "a") && !lab_variant_named("", "a"));
}

/* Where no operations are counted, a time says bytes in a second and no share of a peak. */
Test(rows, of_problems_without_operations)
{
    static struct run_lab result;
    run_lab(&result, "step00a.2 -n 4096 --profile --runtime sim --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *row = strstr(result.out, "\"name\": \"one_each\"");
    cr_assert(row, "%s", result.out);
    cr_expect_float_eq(run_lab_figure(row, "gb_per_s"),
                       8.0 * 4096 / run_lab_figure(row, "median") * 1e-6, 1e-5);
    cr_expect(!strstr(row, "gflops") && !strstr(row, "percent_of_peak"), "%s", row);
    run_lab(&result, "step00a -n 4096 --profile --runtime sim");
    cr_expect(strstr(result.out, "  GB/s  ") && !strstr(result.out, "GFLOPS"), "%s", result.out);
}

/* The facts of a row of several launches are those of the kernel that works most, not of the
 * widest. */
Test(rows, of_a_wide_helper)
{
    static struct run_lab result;
    run_lab(&result,
            "step01 -m 40 --runtime sim --json - --source harness/tests/data/wide_helper.cu");
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *row = strstr(result.out, "\"name\": \"wide_helper\"");
    cr_assert(row, "%s", result.out);
    cr_expect_eq(run_lab_figure(row, "launches"), 2);
    const char *block = strstr(row, "\"block\": "), *last = strstr(row, "\"helper_last\"");
    cr_assert(block && last && block < last, "%s", row);
    cr_expect_eq(strncmp(block, "\"block\": [32, 1, 1]", 19), 0, "%s", row);
    block = strstr(last, "\"block\": ");
    cr_assert(block);
    cr_expect_eq(strncmp(block, "\"block\": [32, 1, 1]", 19), 0, "%s", last);
}

static cudaError_t launch_nothing(const void *problem, cudaStream_t stream)
{
    (void)problem, (void)stream;
    return cudaSuccess;
}

/* An exercise or a solution alone means its tests; with any option but those of where it runs it is
 * a target like any, and the option counts. */
Test(rows, of_a_solution_with_options)
{
    static const char *const options[] = {"--seed=5", "-m20", "--warm", "--check-only", "--beta=1"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char program[] = "run", target[] = "solution02", option[32];
        char *words[] = {program, target, option, NULL};
        struct lab_options parsed;
        snprintf(option, sizeof option, "%s", options[i]);
        cr_assert_eq(lab_options_parse(3, words, &parsed), LAB_EXIT_OK);
        cr_expect_eq(parsed.command, LAB_COMMAND_RUN, "%s", options[i]);
    }
    char program[] = "run", target[] = "solution02", runtime[] = "--runtime=sim",
         arch[] = "--arch=t4";
    char *words[] = {program, target, runtime, arch, NULL};
    struct lab_options parsed;
    cr_assert_eq(lab_options_parse(4, words, &parsed), LAB_EXIT_OK);
    cr_expect_eq(parsed.command, LAB_COMMAND_EXERCISE);
}

Test(rows, one_that_launches_nothing_has_failed)
{
    struct made_kernel made;
    struct lab_device device;
    struct lab_counting counting = {.counters = false};
    made_kernel_open(&made, "gemm", "-m 8");
    made_kernel_variant(&made, launch_nothing, NULL);
    cr_assert_eq(lab_device_open(true, &device), LAB_EXIT_OK);
    struct lab_row row = {.step = &made.step};
    cr_expect(lab_check_row(made.problem, &device, &counting, &row));
    cr_expect_eq(row.check.status, LAB_CHECK_LAUNCH_ERROR);
    cr_expect(strstr(row.check.message, "launched nothing"), "%s", row.check.message);
    made_kernel_close(&made);
}

/* --- what follows from the options -------------------------------------------------------------*/

static struct lab_run_plan plan_of(const char *line, bool is_sim, struct lab_result *result)
{
    char text[128], *words[16] = {"run"};
    int count = 1;
    struct lab_options options;
    struct lab_run_plan plan;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    cr_assert_eq(lab_options_parse(count, words, &options), LAB_EXIT_OK, "%s", line);
    cr_assert_eq(lab_run_plan_make(&options, is_sim, &plan), LAB_EXIT_OK, "%s", line);
    result->is_sim = is_sim;
    result->family = lab_family_find("gemm");
    result->default_size = lab_run_plan_size(&options, &plan, result);
    return plan;
}

/* Lessons have modelled times, what is no lesson has recorded speeds or figures of the family's in
 * their place; studies, exercises and a comparison with a solution need counters. */
Test(rows, what_is_counted_and_at_which_size_follows_from_the_options)
{
    static const struct {
        const char *line;
        bool is_sim;
        enum lab_profile profile;
        bool models, counts, recorded, beside_solution, counters;
        int size;
    } cases[] = {
#define SIM LAB_PROFILE_SIM
        {"step04", true, 0, true, false, false, false, true, 512},
        {"step04 --sms 3 -m 64", true, 0, true, false, false, false, true, 512},
        {"step04 -m 64", true, 0, false, false, false, false, false, 1024},
        {"step04 --sms all", true, 0, false, false, true, false, false, 1024},
        {"step04 --sms all --alpha 2", true, 0, false, false, false, false, false, 1024},
        {"step04 --sms all --alpha 1", true, 0, false, false, true, false, false, 1024},
        {"step04 --check-only", true, 0, false, false, false, false, false, 1024},
        {"step04 --profile", true, SIM, true, false, false, false, true, 512},
        {"step04 --check-only --banks 7", true, 0, false, false, false, false, false, 256},
        {"step04 --default-size 40", true, 0, false, false, true, false, false, 40},
        {"step04", false, 0, false, false, false, false, false, 4096},
        {"step04 --default-size 40", false, 0, false, false, false, false, false, 40},
        {"step04 --profile=sim", false, SIM, false, false, false, false, false, 512},
        {"sweep step04", true, SIM, false, false, false, false, true, 1024},
        {"sweep step04", false, 0, false, false, false, false, false, 4096},
        {"exercise04", true, SIM, false, false, false, false, true, 256},
        {"exercise04 -m 64", true, 0, false, false, false, false, false, 256},
        {"compare exercise04 solution04", true, SIM, true, false, false, true, true, 512},
        {"compare exercise04 solution04", false, 0, false, false, false, false, false, 4096},
        {"compare exercise04 solution05", true, 0, true, false, false, false, true, 512},
        {"compare exercise01 solution01", true, SIM, false, false, false, true, true, 256},
        {"step00a", true, 0, false, true, true, false, true, 1048576},
        {"step00a -n 64", true, 0, false, true, false, false, true, 1048576},
        {"step00a --check-only", true, 0, false, false, false, false, false, 1048576},
        {"compare --source a.cu --source b.cu", true, 0, false, false, false, false, false, 256},
        {"compare --source a.cu --source b.cu", false, 0, false, false, false, false, false, 4096},
#undef SIM
    };
    struct lab_result *result = calloc(1, sizeof *result);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct lab_run_plan plan = plan_of(cases[i].line, cases[i].is_sim, result);
        const char *const line = cases[i].line;
        cr_expect_eq(plan.profile, cases[i].profile, "%s: %d", line, plan.profile);
        cr_expect_eq(plan.models, cases[i].models, "%s", line);
        cr_expect_eq(plan.counts, cases[i].counts, "%s", line);
        cr_expect_eq(plan.recorded, cases[i].recorded, "%s", line);
        cr_expect_eq(plan.beside_solution, cases[i].beside_solution, "%s", line);
        cr_expect_eq(plan.counting.counters, cases[i].counters, "%s", line);
        cr_expect_eq(result->default_size, cases[i].size, "%s: %d", line, result->default_size);
    }
    free(result);
}

/* Where a step's rows say that errors are of interest, and nowhere else; a kernel of --source that
 * has such a row counts, too, but not in an exercise. */
Test(rows, errors_have_a_column)
{
    static struct run_lab result;
    run_lab(&result, "step15 -m 40 -n 33 -k 20 --check-only --runtime sim");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "  error  check"), "%s", result.out);
    run_lab(&result, "step14 -m 40 -n 33 -k 20 --check-only --runtime sim --json -");
    cr_expect(!strstr(result.out, "exact_error"), "%s", result.out);
    run_lab(&result, "exercise02 -m 40 -n 33 -k 20 --runtime sim --check-only --source "
                     "steps/15_tensor_cores/1_tf32.cu");
    cr_expect_eq(result.status, 1, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "wrong") && !strstr(result.out, "error  check"), "%s", result.out);
}
