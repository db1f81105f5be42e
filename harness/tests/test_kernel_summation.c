/* The kernel summation: every row at awkward sizes and in extreme problems, its options' errors,
 * what a run reports, the energy model and the parameter study. */
#include "measure/timing/nvml.h"
#include "run/study.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct run_lab result;

static void expect_right(const char *arguments)
{
    run_lab(&result, "step08 --check-only %s", arguments);
    cr_expect_eq(result.status, 0, "%s: %s%s", arguments, result.out, result.err);
}

/* --- right -------------------------------------------------------------------------------------*/

Test(summation, sizes_of_one_primes_and_around_the_tile)
{
    static const char *const sizes[] = {
        "-m 1 -n 1 -k 1",      "-m 1 -n 1 -k 9",      "-m 2 -n 3 -k 5",      "-m 13 -n 11 -k 7",
        "-m 127 -n 127 -k 7",  "-m 128 -n 128 -k 8",  "-m 129 -n 129 -k 9",  "-m 127 -n 129 -k 31",
        "-m 129 -n 127 -k 33", "-m 257 -n 131 -k 17", "-m 1 -n 4099 -k 3",   "-m 4099 -n 1 -k 4",
        "-m 5 -n 3 -k 4099",   "-m 300 -n 260 -k 16", "-m 31 -n 1025 -k 12", "-m 47 -n 255 -k 441",
        "-m 48 -n 256 -k 448", "-m 49 -n 257 -k 449",
    };
    const int count = sizeof sizes / sizeof *sizes;
    for (int i = 0; i < count; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            char arguments[128];
            if (!run_lab_takes(i + 3 * mixed + 2, 6))
                continue;
            snprintf(arguments, sizeof arguments, "%s%s", sizes[i],
                     mixed ? " --weights mixed --deterministic --bandwidth 0.5" : "");
            expect_right(arguments);
        }
}

/* The kernels of the study, where tiles fit and where they hang over every edge; vectors, and the
 * elements of points that begin anywhere. */
Test(summation, layouts_of_the_study)
{
    static const char *const sizes[] = {
        "-m 1 -n 1 -k 1",     "-m 13 -n 11 -k 7",    "-m 127 -n 129 -k 31",
        "-m 128 -n 128 -k 8", "-m 129 -n 127 -k 33", "-m 257 -n 131 -k 20",
        "-m 5 -n 3 -k 4099",  "-m 31 -n 1025 -k 12", "-m 300 -n 260 -k 16 --deterministic",
    };
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        if (!run_lab_takes(i, 4))
            continue;
        run_lab(&result, "step08 --study --check-only %s --weights mixed", sizes[i]);
        cr_expect_eq(result.status, 0, "%s: %s%s", sizes[i], result.out, result.err);
    }
    if (!run_lab_tries_all())
        return;
    run_lab(&result, "step08 --study --thorough");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, " problems solved by all variants\n"), "%s", result.out);
}

static double counted(const char *row, const char *counter)
{
    run_lab(&result,
            "step08 --study --check-only --profile -m 128 -n 128 -k 64 --variant %s "
            "--json -",
            row);
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    return run_lab_figure(strstr(result.out, "\"counters\""), counter);
}

/* Figure 5: no bank is asked twice, in loads or stores. A warp reads for each of 64 dimensions four
 * pairs of targets, in two wavefronts each, and four of sources, which it shares; in the order of
 * memory it reads two vectors of each, and those of targets meet each bank twice. */
Test(summation, figure_5_has_no_conflicts)
{
    static const char loads[] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
    static const char stores[] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
    static const char of_pairs[] = "lab__inst_executed_op_shared_ld_64bit.sum";
    cr_expect_eq(counted("microtiles", loads), 0.0);
    cr_expect_eq(counted("microtiles", stores), 0.0);
    const double sums = 4 * 8, reads = 8 * 64 * (4 + 4);
    cr_expect_eq(counted("microtiles", of_pairs), reads + sums);
    cr_expect_eq(counted("values_4x4", loads), 0.0);
    cr_expect_eq(counted("values_4x4", stores), 0.0);
    cr_expect_eq(counted("in_order", loads), 8 * 64 * 2 * 4.0, "%g", counted("in_order", loads));
    cr_expect_eq(counted("in_order", stores), 0.0);
}

/* More dimensions of a block's sources than it gets shared memory: one launch, of by_differences.
 */
Test(summation, less_shared_memory_is_enough)
{
    static const char *const problems[] = {"-k 600 --arch rtx4090 --variant own_panels",
                                           "-k 448 --arch rtx4090 --variant fused_fast"};
    for (int i = 0; i < 2; i++) {
        run_lab(&result, "step08 --check-only -m 50 -n 70 --runtime sim %s --json -", problems[i]);
        cr_expect_eq(result.status, 0, "%s: %s%s", problems[i], result.out, result.err);
        cr_expect_eq(run_lab_figure(result.out, "launches"), 1, "%s", result.out);
    }
    expect_right("-m 50 -n 70 -k 1024 --runtime sim --arch h200");
}

Test(summation, bandwidths_tiny_and_huge)
{
    static const char *const bandwidths[] = {"1e-45", "1e-30", "1e-10", "1e-3", "0.05",
                                             "0.2",   "5",     "1e10",  "3e38"};
    for (int i = 0; i < (int)(sizeof bandwidths / sizeof *bandwidths); i++) {
        if (!run_lab_takes(i, 3))
            continue;
        char arguments[128];
        snprintf(arguments, sizeof arguments,
                 "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth %s",
                 bandwidths[i]);
        expect_right(arguments);
    }
}

/* Points so close that the identity says 0 or less: times a factor that is infinite it is NaN. */
Test(summation, points_that_all_but_coincide_at_a_tiny_bandwidth)
{
    expect_right("-m 257 -n 700 -k 1 --deterministic --bandwidth 1e-45");
    if (run_lab_tries_all())
        expect_right("-m 257 -n 700 -k 1 --deterministic --bandwidth 1e-30");
}

/* Underflow to 0 is right, and nothing else is there: the tolerance is next to nothing. */
Test(summation, underflow_is_zero_and_checked_as_such)
{
    run_lab(&result, "step08 --check-only -m 64 -n 64 -k 8 --bandwidth 1e-4 --json -");
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(!strstr(result.out, "max_error") || run_lab_figure(result.out, "max_error") == 0.0);
}

Test(summation, points_far_from_the_origin)
{
    expect_right("-m 100 -n 150 -k 32 --offset -300 --weights mixed");
    if (run_lab_tries_all())
        expect_right("-m 200 -n 150 -k 32 --offset 10");
    expect_right("-m 100 -n 150 -k 3 --offset 1e4 --bandwidth 100 --deterministic");
    expect_right("-m 7 -n 5 -k 3 --offset 1e6 --weights mixed");
    expect_right("-m 3 -n 5 -k 4099 --offset -1000 --bandwidth 30");
}

/* What cancellation costs must show in the bound, and only where there is any. */
Test(summation, the_bound_grows_with_the_distance_from_the_origin)
{
    double before = 0.0;
    static const char *const offsets[] = {"0", "10", "100"};
    for (int i = 0; i < 3; i++) {
        run_lab(&result, "step08 --check-only -m 100 -n 70 -k 32 --offset %s --json -", offsets[i]);
        cr_assert_eq(result.status, 0, "%s", result.err);
        double tolerance = run_lab_figure(result.out, "tolerance");
        cr_expect_gt(tolerance, 50.0 * before);
        cr_expect_lt(run_lab_figure(result.out, "max_error"), tolerance);
        before = tolerance;
    }
}

Test(summation, a_bound_that_says_nothing_is_said)
{
    run_lab(&result, "step08 --check-only -m 20 -n 20 -k 8 --offset 3000");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "note: so far from the origin"), "%s", result.out);
    run_lab(&result, "step08 --check-only -m 20 -n 20 -k 8 --offset 30");
    cr_expect(!strstr(result.out, "note:"), "%s", result.out);
}

Test(summation, relative_error_in_the_unit_cube_is_below_1e_5)
{
    run_lab(&result, "step08 --check-only -m 500 -n 500 -k 64 --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    int rows = 0;
    for (const char *at = result.out; (at = strstr(at, "\"max_error\"")); at++, rows++)
        cr_expect_lt(run_lab_figure(at, "max_error"), 1e-5);
    cr_expect_geq(rows, 4);
    cr_expect_lt(run_lab_figure(result.out, "tolerance"), 1e-3, "a target left out must show");
}

Test(summation, deterministic_rows_stand_beside_the_others)
{
    run_lab(&result, "step08 --check-only -m 300 -n 300 -k 9 --deterministic --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "\"fused\"") && strstr(result.out, "\"fused_deterministic\""));
    cr_expect(!strstr(result.out, "cuda_unfused_deterministic"), "it is so anyway");
    cr_expect(!strstr(result.out, "fused_fast_deterministic"), "nor does this add atomically");
    run_lab(&result, "step08 --check-only -m 300 -n 300 -k 9 --json -");
    cr_expect(!strstr(result.out, "_deterministic"));
}

/* --- reported ----------------------------------------------------------------------------------*/

Test(summation, operations_and_bytes_are_counted_as_documented)
{
    run_lab(&result, "step08 --check-only -m 10 -n 7 -k 5 --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect_float_eq(run_lab_figure(result.out, "flops"), 10 * 7 * (2 * 5 + 7) + 2 * 5 * (10 + 7),
                       1e-6);
    cr_expect_float_eq(run_lab_figure(result.out, "bytes"), 4 * (17 * 5 + 17), 1e-6);
    cr_expect_float_eq(run_lab_figure(result.out, "h"), 1.0, 1e-9);
    cr_expect(strstr(result.out, "\"family\": \"kernel summation\""));
}

Test(summation, each_size_has_its_own_default)
{
    run_lab(&result, "step08 --check-only -m 5 --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect_eq(run_lab_figure(result.out, "m"), 5);
    cr_expect_eq(run_lab_figure(result.out, "n"), 1024);
    cr_expect_eq(run_lab_figure(result.out, "k"), 32);
}

/* Small problems too, where the norms' kernel has more threads than what does the work. */
Test(summation, facts_are_those_of_the_kernel_that_does_the_work)
{
    run_lab(&result, "step08 --check-only -m 100 --variant fused --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect_gt(run_lab_figure(result.out, "shared_bytes"), 16000.0, "%s", result.out);
}

Test(energy, what_was_asked_for_and_is_not_there_is_said)
{
    run_lab(&result, "step08 -m 20 -n 20 -k 8 --runtime sim --energy");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "no energies: the simulator"), "%s", result.out);
    run_lab(&result, "step08 -m 20 -n 20 -k 8 --runtime sim --energy --profile");
    cr_expect(!strstr(result.out, "no energies"), "%s", result.out);
    cr_expect(strstr(result.out, "modelled mJ"), "%s", result.out);
}

/* cuBLAS runs beside the simulator: what is counted of such a row is only a part. */
Test(summation, rows_that_call_cublas_have_no_simulated_figures)
{
    run_lab(&result, "step08 -m 256 -n 256 -k 8 --profile --runtime sim --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    char *row = strstr(result.out, "\"name\": \"cublas_unfused\"");
    char *next = strstr(result.out, "\"name\": \"cuda_gemv\"");
    cr_assert(row && next);
    cr_expect(strstr(next, "\"time_ms\"") && strstr(next, "\"modelled_energy\""));
    *next = '\0';
    cr_expect(!strstr(row, "time_ms") && !strstr(row, "smsp__") && !strstr(row, "modelled_energy"));
}

/* Kernels that follow each other do not overlap: what the second one writes, 16 MB less what stays
 * in a GTX 970's L2, takes 224 GB/s, whatever the first one waited for. */
Test(summation, a_row_of_several_launches_takes_the_sum_of_their_times)
{
    run_lab(&result, "step01 --source harness/tests/data/two_launches.cu -m 256 --profile "
                     "--runtime sim --arch gtx970 --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    double one = run_lab_figure(strstr(result.out, "\"name\": \"one\""), "median");
    double two = run_lab_figure(strstr(result.out, "\"name\": \"two\""), "median");
    cr_expect_gt(two - one, 1e3 * (16 << 20) * 0.85 / 224e9, "%g ms and %g ms", one, two);
    cr_expect_lt(two - one, 0.1);
}

/* --- refused -----------------------------------------------------------------------------------*/

Test(summation, bad_input)
{
    run_lab_expect_error(2, "above 0", "step08 --bandwidth 0");
    run_lab_expect_error(2, "above 0", "step08 --bandwidth -1");
    run_lab_expect_error(2, "finite", "step08 --bandwidth nan");
    run_lab_expect_error(2, "finite", "step08 --bandwidth inf");
    run_lab_expect_error(2, "finite", "step08 --bandwidth 1e40");
    run_lab_expect_error(2, "above 0", "step08 --bandwidth 1e-50");
    run_lab_expect_error(2, "finite", "step08 --offset x");
    run_lab_expect_error(2, "finite", "step08 --offset 1e39");
    run_lab_expect_error(2, "not with --check-only", "step08 --energy --check-only");
    run_lab_expect_error(2, "no variant 'fast'", "step08 --variant fast");
    run_lab_expect_error(2, "positive or mixed", "step08 --weights none");
    run_lab_expect_error(2, "at least 1", "step08 -m 0");
    run_lab_expect_error(2, "at least 1", "step08 -k 0");
    run_lab_expect_error(2, "GiB of device memory", "step08 -m 2000000000 -n 1 -k 2000");
    run_lab_expect_error(2, "GiB of scratch memory", "step08 -m 2000000 -n 2000000 -k 1");
}

Test(summation, options_of_another_family)
{
    run_lab_expect_error(2, "--alpha is for gemm", "step08 --alpha 2");
    run_lab_expect_error(2, "--bandwidth is for kernel summation", "step01 --bandwidth 2");
    run_lab_expect_error(2, "different problems", "step08 --alpha 2 --bandwidth 2");
    run_lab_expect_error(2, "different problems", "compare step07 step08");
    run_lab_expect_error(2, "gemm, than step08", "step08 --source build/steps/01.so");
    run_lab_expect_error(2, "gemm, than step08", "sweep step08 --source build/steps/01.so");
}

Test(summation, studies_that_are_not_there)
{
    run_lab_expect_error(2, "one target", "sweep");
    run_lab_expect_error(2, "one target", "sweep step08 step08");
    run_lab_expect_error(2, "no parameter study; step01 to step15 have one", "sweep step00a");
    run_lab_expect_error(2, "goes without", "sweep step08 --check-only");
    run_lab_expect_error(2, "did you mean 'sweep'", "swep step08");
}

/* --- energy ------------------------------------------------------------------------------------*/

Test(energy, components_follow_from_the_counts)
{
    static const char *const names[] = {
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "lts__t_sectors_op_read.sum",
        "lts__t_sectors_op_write.sum",
        "dram__bytes_read.sum",
        "dram__bytes_write.sum",
    };
    struct lab_counters counters = {.count = 0};
    struct lab_device device = {.properties = {.major = 9}};
    struct lab_energy_model model;
    for (int i = 0; i < 9; i++) {
        cr_expect_not(lab_energy_from_counters(&counters, &device, &model), "without %s", names[i]);
        lab_counters_set(&counters, names[i], 1e12);
    }
    cr_assert(lab_energy_from_counters(&counters, &device, &model));
    cr_expect_float_eq(model.arithmetic, 0.38 + 1.31 + 0.38 + 1.31, 1e-9);
    cr_expect_float_eq(model.shared, 2 * 16 * 8.5, 1e-9); /* 128 bytes are 16 times 64 bits */
    cr_expect_float_eq(model.l2, 2 * 4 * 14.0, 1e-9);
    cr_expect_float_eq(model.dram, 2 * 8 * 3.92, 1e-9);
    cr_expect_float_eq(lab_energy_total(&model),
                       model.arithmetic + model.shared + model.l2 + model.dram, 1e-9);
    device.properties.major = 5;
    cr_assert(lab_energy_from_counters(&counters, &device, &model));
    cr_expect_float_eq(model.dram, 2 * 8 * 14.0, 1e-9, "a GTX 970 has GDDR5");
    cr_expect_float_eq(model.arithmetic, 0.9 + 3.7 + 0.9 + 3.7, 1e-9, "and is of 28 nm");
    cr_expect_float_eq(model.shared, 2 * 16 * 20.0, 1e-9);
    lab_counters_set(&counters, "sm__inst_executed_pipe_tensor.sum", 8.0);
    lab_counters_set(&counters, "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum", 8.0);
    cr_assert(lab_energy_from_counters(&counters, &device, &model), "constants alone");
    lab_counters_set(&counters, "lab__ptx_products_op_wgmma_f16.sum", 1.0);
    cr_assert_not(lab_energy_from_counters(&counters, &device, &model),
                  "of tensor cores nothing is known");
    cr_expect_float_eq(model.l2, 2 * 4 * 100.0, 1e-9);
}

/* --- the study ---------------------------------------------------------------------------------*/

Test(sweep, values_of_the_paper)
{
    static struct lab_device gpu;
    static struct lab_result runs[2];
    struct lab_sweep made = {
        .target = "step08", .device = &gpu, .runs = {&runs[0], &runs[1]}, .count = 2};
    for (int i = 0; i < 2; i++)
        runs[i] = (struct lab_result){
            .device = &gpu,
            .family = lab_family_find("kernel_summation"),
            .facts = {.sizes = {{"k", 64}, {"m", i ? 4096 : 524288}}, .size_count = 2},
            .rows = {{.name = "fused"}},
            .row_count = 1};
    cr_assert_eq(lab_study_add("microtiles", &(struct lab_options){0}, &made), 0);
    const char *const theirs = made.more[0];
    cr_expect_float_eq(run_lab_figure(theirs, "cublas_unfused_percent_of_peak"), 36.83, 1e-9);
    cr_expect_float_eq(run_lab_figure(theirs, "fused_percent_of_peak"), 56.26, 1e-9);
    cr_expect_float_eq(run_lab_figure(theirs, "percent_of_energy_saved"), 23.4, 1e-9);
    cr_expect_null(made.more[1]);
    free(made.more[0]);
}

Test(sweep, tables_and_json)
{
    char path[] = "/tmp/lab-sweep-XXXXXX", json[RUN_LAB_BYTES] = "";
    close(mkstemp(path));
    run_lab(&result, "sweep step08 --runtime sim -m 128 -k 32 -n 200 --json %s", path);
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "table II") && strstr(result.out, "table III"));
    cr_expect(strstr(result.out, "figure 6") && strstr(result.out, "figure 8"));
    cr_expect(strstr(result.out, "figure 2") && strstr(result.out, "figure 7"));
    cr_expect(strstr(result.out, "microtiles ") && strstr(result.out, "registers_64 "));
    cr_expect(strstr(result.out, "GTX970: the paper's values"));
    cr_expect(strstr(result.out, "modelled from the counters, not measured"));
    FILE *file = fopen(path, "r");
    json[fread(json, 1, sizeof json - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    cr_expect(strstr(json, "\"runs\": [") && strstr(json, "\"schema\": 1"));
    cr_expect(strstr(json, "\"n\": 200"));
    cr_expect(!strstr(json, "\"paper\""), "the paper has no M of 128");
}

/* Figure 8, from the model of the caches; and the price of a repeatable sum. */
Test(sweep, traffic_and_repeatable_rows_on_the_simulator)
{
    run_lab(&result, "sweep step08 --runtime sim --arch gtx970 -m 512 -k 8 -n 512 --deterministic");
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "fused_deterministic"), "%s", result.out);
    const char *dram = strstr(result.out, "DRAM bytes, and per cent of that of cuda_unfused");
    double whole = 0.0, written = 0.0, fused = 0.0;
    int k, m;
    cr_assert(dram, "%s", result.out);
    dram = strchr(strchr(dram, '\n') + 1, '\n');
    cr_assert_eq(sscanf(dram, "%d %d %lf %lf%% %lf%%", &k, &m, &whole, &written, &fused), 5, "%s",
                 dram);
    cr_expect_geq(whole, 512 * 512 * 4, "the matrix is read");
    cr_expect(written > 150.0, "%g %%: it is evaluated, written and read again", written);
    cr_expect(fused > 0.0 && fused < 20.0, "%g %% of %g", fused, whole);
}

Test(sweep, json_alone_on_standard_output_with_the_papers_values)
{
    run_lab(&result, "sweep step08 --runtime sim -m 1024 -k 32 -n 64 --json -");
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect_eq(result.out[0], '{');
    cr_expect_str_eq(result.out + strlen(result.out) - 2, "}\n");
    const char *theirs = strstr(result.out, "\"paper\"");
    cr_expect_float_eq(run_lab_figure(theirs, "fused_percent_of_peak"), 33.14, 1e-9);
    cr_expect(strstr(theirs, "GTX 970"));
    cr_expect_null(strstr(theirs + 1, "\"paper\""), "products and layouts are none of the paper's");
    cr_expect(strstr(theirs, "\"family\": \"gemm\"") && strstr(theirs, "\"08.microtiles\""));
}
