/* The families of doubles, which may be floats, too, trmm and syr2k: what their problems promise,
 * what a run reports, the sums that small problems are checked against, and bad input. */
#include "families/fp64/fp64.h"
#include "families/inputs.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

static void expect_right(const char *arguments)
{
    run_lab(&result, "%s --check-only", arguments);
    cr_expect_eq(result.status, 0, "%s: %s%s", arguments, result.out, result.err);
}

/* --- the problems ------------------------------------------------------------------------------*/

/* NaN where a kernel must not look, values where it must not write. */
Test(fp64, below_the_diagonal)
{
    const struct lab_options options = {.problem = {.seed = 1}};
    const struct lab_family family = {.fill = lab_problem_fill_numbers};
    const struct lab_problem p = {.family = &family,
                                  .options = &options,
                                  .arrays = {{.name = "A",
                                              .role = LAB_ROLE_INPUT,
                                              .element = LAB_ELEMENT_F64,
                                              .count = 9,
                                              .row = 3,
                                              .region = LAB_REGION_UPPER},
                                             {.name = "C",
                                              .role = LAB_ROLE_OUTPUT,
                                              .element = LAB_ELEMENT_F64,
                                              .count = 9,
                                              .row = 3,
                                              .region = LAB_REGION_UPPER,
                                              .blank = true},
                                             {.name = "L",
                                              .role = LAB_ROLE_INPUT,
                                              .element = LAB_ELEMENT_F64,
                                              .count = 9,
                                              .row = 3,
                                              .region = LAB_REGION_LOWER}},
                                  .array_count = 3};
    double a[9], c[9], l[9];
    lab_problem_fill(&p, 0, a, 0, 9);
    lab_problem_fill(&p, 1, c, 0, 9);
    lab_problem_fill(&p, 2, l, 0, 9);
    for (int i = 0; i < 9; i++) {
        bool is_below = i % 3 < i / 3;
        cr_expect_eq(isnan(a[i]) != 0, is_below, "A, element %d is %g", i, a[i]);
        cr_expect_eq(isnan(c[i]) != 0, !is_below, "C, element %d is %g", i, c[i]);
        cr_expect_eq(isnan(l[i]) != 0, i % 3 > i / 3, "L, element %d is %g", i, l[i]);
        cr_expect_eq(lab_array_excludes(&p.arrays[0], i), is_below);
    }
}

Test(fp64, inputs_are_the_same_in_any_piece_and_never_small)
{
    double whole[64], piece[64];
    int low_bits = 0;
    lab_inputs_fill_doubles(whole, 1000, 64, 7);
    for (int i = 0; i < 64; i++) {
        lab_inputs_fill_doubles(piece, 1000 + i, 1, 7);
        cr_expect_eq(piece[0], whole[i]);
        cr_expect(fabs(whole[i]) >= 0.5 && fabs(whole[i]) < 1.0);
        low_bits += whole[i] != (double)(float)whole[i];
    }
    cr_expect_geq(low_bits, 60, "all 52 bits are random");
}

/* --- sums --------------------------------------------------------------------------------------*/

/* Plain sums give 0 and lose all. */
Test(fp64, compensated_sums_lose_nothing)
{
    const double x[] = {1e8, 1.0, -1e8, 1e-9, 3.0}, y[] = {1e8, 1e-3, 1e8, 1e-9, 1.0 / 3.0};
    double sum = 1e16, rest = 0.0, exact = 1e-3 + 1e-18 + 3.0 * (1.0 / 3.0);
    cr_expect_float_eq(fp64_exact_dot(0.0, x, y, 5), exact, 1e-15);
    for (int i = 0; i < 1000; i++)
        fp64_exact_add(&sum, &rest, 0.1, &(double){0.1}, 1);
    cr_expect_float_eq(sum + rest - 1e16, 10.0, 1e-12 + 2.0, "rounded once, to a multiple of 2");
    cr_expect_float_eq((sum - 1e16) + rest, 10.0, 1e-12);
}

/* Against long double, whose 64 bits are more than the bound needs. */
Test(fp64, compensated_sums_of_many_terms)
{
    enum { COUNT = 10007 };
    static double x[COUNT], y[COUNT];
    long double sum = 0.0L;
    lab_inputs_fill_doubles(x, 0, COUNT, 1);
    lab_inputs_fill_doubles(y, 0, COUNT, 2);
    for (int i = 0; i < COUNT; i++)
        sum += (long double)x[i] * y[i];
    cr_expect_float_eq(fp64_exact_dot(0.0, x, y, COUNT), (double)sum, 1e-14);
}

Test(fp64, a_missing_term_shows_and_rounding_does_not)
{
    cr_expect_lt(fp64_tolerance(2.0 * 65536), 0.125);
    cr_expect_gt(fp64_tolerance(1.0), ldexp(1.0, -53));
    cr_expect_gt(fp64_tolerance(100.0), 100.0 * ldexp(1.0, -53));
}

/* --- steps -------------------------------------------------------------------------------------*/

/* So many tiles for each SM that the last stages take the larger ones, in pairs and singly: of a
 * slice of the GPU, which has few SMs, and of all of it. */
Test(trmm, large_tiles)
{
    expect_right("step09.8 -n 131 -m 1057 --sms 3");
    expect_right("step09.9 -n 255 -m 250 --sms 1");
    if (run_lab_tries_all()) {
        expect_right("step09.8 -n 130 -m 1056 --sms 3");
        expect_right("step09.9 -n 254 -m 250 --sms 1");
        expect_right("step09.8 -n 131 -m 45057");
    }
}

/* The rows that divide sums after whole waves, the last one on tensor cores. */
static void expect_hybrids_right(const char *options)
{
    char arguments[96];
    snprintf(arguments, sizeof arguments, "step10 %s --variant hybrid_split_k,tensor_split_k",
             options);
    expect_right(arguments);
}

/* More than one part of the sum, the last one shorter, of both kinds of rows. */
Test(syr2k, divided_sums)
{
    expect_hybrids_right("-n 70 -p 101 -q 11");
    if (!run_lab_tries_all())
        return;
    expect_hybrids_right("-n 70 -p 101 -q 10");
    expect_hybrids_right("-n 3 -p 1000 -q 35");
    expect_hybrids_right("-n 3 -p 1001 -q 35"); /* wide slabs */
    expect_hybrids_right("-n 130 -p 100 -q 160");
}

/* The same of the stages before: parts that end within a square's rows. */
Test(syr2k, divided_sums_of_stages)
{
    for (int stage = 5; stage < 8; stage++)
        for (int q = 100; q < 102; q++) {
            char arguments[64];
            snprintf(arguments, sizeof arguments, "step10.%d -n 130 -p 17 -q %d", stage, q);
            if (run_lab_takes(stage + q + 1, 3))
                expect_right(arguments);
        }
    expect_right("step10.7 -n 321 -p 3 -q 5 --sms 3"); /* squares enough for one part each */
}

/* Whole squares of D and divided ones, off the diagonal and on it, in one launch; and squares
 * alone. */
Test(syr2k, squares_for_all_multiprocessors)
{
    for (int squares = 4; squares < 8; squares++) {
        char arguments[64];
        if (!run_lab_takes(squares, 4))
            continue;
        snprintf(arguments, sizeof arguments, "-n %d -p 21 -q 10 --sms 3", 64 * squares + 1);
        expect_hybrids_right(arguments);
    }
    if (run_lab_tries_all()) {
        expect_right("step10.9 -n 257 -p 29 -q 29 --sms 2"); /* a part that goes on with B and A */
        expect_hybrids_right("-n 2177 -p 21 -q 10");
        expect_hybrids_right("-n 2177 -p 3 -q 5");
    }
}

/* The fast rows of both take a smaller tile there, another kernel, or are skipped on what CUDA 13
 * does not know. */
Test(fp64, gpus_with_less_shared_memory)
{
    expect_right("step09 -n 67 --arch m2070");
    cr_expect(strstr(result.out, "register_tile: skipped\n  needs sm_75"), "%s", result.out);
    if (run_lab_tries_all())
        expect_right("step09 -n 131 -m 45057 --variant register_tile --arch t4");
    expect_right("step10 -n 33 -p 3 -q 5 --arch m2070");
    expect_right("step10 -n 33 -p 30 -q 50 --variant hybrid_split_k --arch a100");
    if (run_lab_tries_all()) {
        expect_right("step10 -n 130 -p 17 -q 100 --variant hybrid_split_k --arch t4");
        expect_right("step10.7 -n 130 -p 17 -q 100 --arch t4");
        expect_right("step10 -n 33 -p 3 -q 5 --arch rtx4090");
        expect_right("step10 -n 130 -p 17 -q 101 --variant hybrid_split_k --arch t4");
        expect_right("step10.7 -n 130 -p 17 -q 101 --arch t4");
    }
    expect_right("step10 -n 65 -p 17 -q 23 --arch t4");
}

Test(trmm, sizes_and_operations)
{
    run_lab(&result, "step09 --check-only -n 10 -m 7 --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect_eq(run_lab_figure(result.out, "n"), 10);
    cr_expect_eq(run_lab_figure(result.out, "m"), 7);
    cr_expect_float_eq(run_lab_figure(result.out, "flops"), 10 * 10 * 7, 1e-6);
    cr_expect_float_eq(run_lab_figure(result.out, "bytes"), 8 * (55 + 2 * 70), 1e-6);
    cr_expect(strstr(result.out, "\"type\": \"f64\""));
    run_lab(&result, "step09 --check-only -m 9 --json -");
    cr_expect_eq(run_lab_figure(result.out, "n"), 9, "a single size is both");
}

Test(syr2k, sizes_and_operations)
{
    run_lab(&result, "step10 --check-only -n 10 -p 3 -q 7 --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect_eq(run_lab_figure(result.out, "q"), 7);
    cr_expect_float_eq(run_lab_figure(result.out, "flops"), 2 * 10 * 11 * 21, 1e-6);
    cr_expect_float_eq(run_lab_figure(result.out, "bytes"), 8 * (2 * 10 * 21 + 55), 1e-6);
    run_lab(&result, "step10 --check-only -q 9 --json -");
    cr_expect_eq(run_lab_figure(result.out, "n"), 9, "a single size is all three");
    cr_expect_eq(run_lab_figure(result.out, "p"), 9);
}

/* The bound must be tight enough to tell FP64 from less. */
Test(fp64, errors_are_below_the_bound_and_tiny)
{
    static const char *const steps[] = {"step09 -n 150 -m 33", "step10 -n 40 -p 9 -q 11"};
    for (int i = 0; i < 2; i++) {
        run_lab(&result, "%s --check-only --json -", steps[i]);
        cr_assert_eq(result.status, 0, "%s", result.err);
        cr_expect_lt(run_lab_figure(result.out, "tolerance"), 1e-10);
        for (const char *at = result.out; (at = strstr(at, "\"max_error\"")); at++)
            cr_expect_lt(run_lab_figure(at, "max_error"), 1e-13);
    }
}

/* The kernels of the course report in both types: one element, primes, a tile and one more, thin,
 * tall, and values at the ends of a float's range. */
Test(fp64, studies_in_both_types)
{
    static const char *const problems[] = {"step09 -n 1",
                                           "step09 -n 33 -m 65",
                                           "step09 -n 65 -m 1",
                                           "step09 -n 129 -m 7",
                                           "step09 -n 3 -m 1031",
                                           "step09 -n 33 --values special",
                                           "step09 -n 35 --values large",
                                           "step10 -n 1 -p 1 -q 1",
                                           "step10 -n 33 -p 3 -q 5",
                                           "step10 -n 65 -p 1 -q 4",
                                           "step10 -n 129 -p 1 -q 33",
                                           "step10 -n 2 -p 1 -q 601",
                                           "step10 -n 33 -p 2 -q 3 --values special",
                                           "step10 -n 17 -p 4 -q 5 --values small"};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int is_float = 0; is_float < 2; is_float++) {
            char arguments[128];
            snprintf(arguments, sizeof arguments, "%s --study --type %s", problems[i],
                     is_float ? "f32" : "f64");
            if (!is_float && !run_lab_takes((int)i, 4))
                continue;
            expect_right(arguments);
            cr_expect(strstr(result.out, is_float ? "\nglobal_float " : "\nglobal "), "%s",
                      result.out);
            cr_expect_eq(strstr(result.out, "_float") != NULL, is_float, "%s", result.out);
        }
}

/* So many products that the library makes the reference, which is compared with exact sums. */
Test(fp64, floats_against_the_library)
{
    expect_right("step09 --study --type f32 -n 512 -m 1100 --variant blocks_2d_float");
    if (run_lab_tries_all())
        expect_right("step10 --study --type f32 -n 128 -p 64 -q 136 --variant listing_float");
}

Test(trmm, a_read_below_the_diagonal_says_so)
{
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    if (!runtime || strcmp(runtime, "sim") != 0)
        cr_skip_test("a GPU does not see the read");
    run_lab(&result, "step09 -n 65 --check-only --source %s",
            run_lab_source("broken/trmm_reads_below_diagonal.cu"));
    cr_expect_eq(result.status, 1);
    cr_expect(strstr(result.out, "below the diagonal of a triangle"), "%s%s", result.out,
              result.err);
}

/* --- refused -----------------------------------------------------------------------------------*/

Test(fp64, bad_input)
{
    run_lab_expect_error(2, "step09 has no such size", "step09 -k 5");
    run_lab_expect_error(2, "step10 has no such size", "step10 -m 5");
    run_lab_expect_error(2, "step10 has no such size", "step10 -n 5 -k 5");
    run_lab_expect_error(2, "-p 0: a size is at least 1", "step10 -p 0");
    run_lab_expect_error(2, "-q x: not a whole number", "step10 -q x");
    run_lab_expect_error(2, "p times q is at most", "step10 -n 1 -p 100000 -q 100000");
    run_lab_expect_error(2, "step09 has no such size", "step09 -p 5");
    run_lab_expect_error(2, "--alpha is for gemm", "step10 --alpha 2");
    run_lab_expect_error(2, "solve different problems", "compare step09 step10 --check-only");
    run_lab_expect_error(2, "--with-copies is for ", "step08 --with-copies --runtime auto");
    run_lab_expect_error(2, "not with --check-only",
                         "step09 --with-copies --check-only --runtime auto");
    run_lab_expect_error(2, "give smaller sizes", "step09 -n 2000000");
    run_lab_expect_error(2, "--type f16: give f64 or f32", "step09 --type f16");
    run_lab_expect_error(2, "those of its study may: give --study", "step10 -n 5 --type f32");
    run_lab_expect_error(2, "global_float takes --type f32",
                         "step10 -n 5 --study --variant global_float");
    run_lab_expect_error(2, "exercise11", "exercise11 --type f32");
}

Test(fp64, copies_need_a_gpu)
{
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    if (runtime && strcmp(runtime, "sim") == 0)
        run_lab_expect_error(2, "needs a GPU", "step10 --with-copies");
}
