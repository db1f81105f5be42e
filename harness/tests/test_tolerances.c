/* What may be wrong by how much: results whose error is half the tolerance pass, those of twice the
 * tolerance do not, and neither do products in less than the family's precision. Results are made
 * here, in double precision, apart from the harness's references; tolerances are worked out again
 * from the derivations beside them in harness/families/. */
#include "families/apsp.h"
#include "families/copy.h"
#include "families/gemm.h"
#include "families/histogram.h"
#include "families/reduction.h"
#include "families/transpose.h"
#include "families/kernel_summation.h"
#include "families/md.h"
#include "families/syr2k.h"
#include "families/trmm.h"
#include "families/widest.h"
#include "tests/made_kernel.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double U = 0x1p-24; /* of float */

/* How a made kernel computes: a launch function is given the problem alone. */
static struct arithmetic {
    double (*operand)(double value); /* what a factor is rounded to; NULL: not */
    double (*product)(double value); /* and a product, or a sum of lengths */
    double (*sum)(double value);     /* and a sum of products so far */
    double error;                    /* added to the last element that is checked */
} arithmetic;

static struct made_kernel made;

/* To so many bits of mantissa, the implicit one among them; to the nearest, as converters do. */
static double rounded(double value, int bits)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    return ldexp(rint(ldexp(fraction, bits)), exponent - bits);
}

/* TF32 has 10 stored bits of mantissa, FP16 has as many, in a smaller range that no input leaves.
 */
static double tf32(double value)
{
    return rounded(value, 11);
}

static double half(double value)
{
    const double least = 0x1p-14, infinite = 65520.0;
    if (fabs(value) >= infinite)
        return copysign((double)INFINITY, value);
    return fabs(value) < least ? ldexp(rint(ldexp(value, 24)), -24) : rounded(value, 11);
}

static double bfloat16(double value)
{
    return rounded(value, 8);
}

static double single(double value)
{
    return (double)(float)value;
}

static double times(double a, double b)
{
    double product = arithmetic.operand ? arithmetic.operand(a) * arithmetic.operand(b) : a * b;
    return arithmetic.product ? arithmetic.product(product) : product;
}

static double plus(double sum, double product)
{
    return arithmetic.sum ? arithmetic.sum(sum + product) : sum + product;
}

static void to_device(void *device, const void *values, size_t bytes)
{
    cr_assert_eq(cudaMemcpy(device, values, bytes, cudaMemcpyHostToDevice), cudaSuccess);
}

static struct lab_check run(lab_launch *launch, struct arithmetic how)
{
    arithmetic = how;
    return made_kernel_check_with(&made, launch);
}

/* Half the tolerance passes, twice the tolerance does not, above and below. */
static void expect_tolerance(lab_launch *launch, double tolerance)
{
    const char *family = made.family->options->name;
    cr_expect_eq(run(launch, (struct arithmetic){0}).status, LAB_CHECK_OK, "%s: right", family);
    for (int sign = -1; sign <= 1; sign += 2) {
        struct lab_check check = run(launch, (struct arithmetic){.error = sign * 0.5 * tolerance});
        cr_expect_eq(check.status, LAB_CHECK_OK, "%s: half of %g: %s", family, tolerance,
                     check.message);
        check = run(launch, (struct arithmetic){.error = sign * 2.0 * tolerance});
        cr_expect_eq(check.status, LAB_CHECK_WRONG, "%s: twice %g passes", family, tolerance);
    }
}

static void expect_reduced_precision_fails(lab_launch *launch)
{
    static const struct {
        const char *name;
        struct arithmetic how;
    } less[] = {{"factors in TF32", {.operand = tf32}},
                {"factors in FP16", {.operand = half}},
                {"factors in BF16", {.operand = bfloat16}},
                {"products and sums in half", {.product = half, .sum = half}}};
    for (size_t i = 0; i < sizeof less / sizeof *less; i++)
        cr_expect_neq(run(launch, less[i].how).status, LAB_CHECK_OK, "%s: %s pass",
                      made.family->options->name, less[i].name);
}

/* Products that are rounded, added without an error more. */
static void expect_half_products_fail(lab_launch *launch)
{
    cr_expect_neq(run(launch, (struct arithmetic){.product = half}).status, LAB_CHECK_OK,
                  "%s: products in half pass", made.family->options->name);
}

/* --- gemm, gemm tn, gemm nt
 * -------------------------------------------------------------------------*/

static cudaError_t multiply(const void *problem, cudaStream_t stream)
{
    const struct lab_gemm *p = problem;
    const size_t m = p->m, n = p->n, k = p->k;
    const bool a_lies_down = strcmp(made.family->options->name, "gemm_tn") == 0;
    const bool b_lies_down = strcmp(made.family->options->name, "gemm_nt") == 0;
    float *a = made_kernel_floats(p->a, m * k), *b = made_kernel_floats(p->b, k * n);
    float *c = made_kernel_floats(p->c, m * n);
    (void)stream;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0, old = p->beta != 0.0f ? (double)p->beta * c[i * n + j] : 0.0;
            for (size_t l = 0; l < k; l++)
                sum = plus(sum, times(a[a_lies_down ? l * m + i : i * k + l],
                                      b[b_lies_down ? j * k + l : l * n + j]));
            c[i * n + j] = (float)(p->alpha * sum + old);
        }
    c[m * n - 1] += (float)arithmetic.error;
    to_device(p->c, c, m * n * sizeof *c);
    free(a), free(b), free(c);
    return cudaSuccess;
}

static void open_product(const char *family, int m, int n, int k, float alpha, float beta)
{
    made_kernel_open(&made, family, "-m %d -n %d -k %d --alpha %g --beta %g", m, n, k,
                     (double)alpha, (double)beta);
}

/* u (|alpha| (4 k + 16 sqrt(k)) + 4 |beta|): 256 + 128 of k = 64. */
Test(tolerances, gemm)
{
    open_product("gemm", 33, 47, 64, 1.0f, 0.0f);
    expect_tolerance(multiply, 384.0 * U);
    expect_reduced_precision_fails(multiply);
    expect_half_products_fail(multiply);
    made_kernel_close(&made);
}

/* 1.5 (400 + 160) + 3. */
Test(tolerances, gemm_with_factors)
{
    open_product("gemm", 9, 20, 100, -1.5f, 0.75f);
    expect_tolerance(multiply, 843.0 * U);
    expect_reduced_precision_fails(multiply);
    expect_half_products_fail(multiply);
    made_kernel_close(&made);
}

/* 16384 + 1024: the tolerance grows faster than the error of lower precision, which still shows. */
Test(tolerances, gemm_of_long_sums)
{
    open_product("gemm", 16, 16, 4096, 1.0f, 0.0f);
    expect_tolerance(multiply, 17408.0 * U);
    expect_reduced_precision_fails(multiply);
    expect_half_products_fail(multiply);
    made_kernel_close(&made);
}

/* One product: 4 + 16. */
Test(tolerances, gemm_of_one_term)
{
    open_product("gemm", 5, 7, 1, 1.0f, 0.0f);
    expect_tolerance(multiply, 20.0 * U);
    expect_reduced_precision_fails(multiply);
    expect_half_products_fail(multiply);
    made_kernel_close(&made);
}

/* As a tensor core reads a float: its last 13 bits are ignored. */
static double cut_to_tf32(double value)
{
    int exponent;
    const double fraction = frexp(value, &exponent);
    return ldexp(trunc(ldexp(fraction, 11)), exponent - 11);
}

static struct lab_check run_of_a_step(struct arithmetic how, unsigned flags, bool takes_errors)
{
    arithmetic = how;
    made_kernel_variant(&made, multiply, NULL);
    made.variant.flags = flags;
    made.problem->takes_errors = takes_errors;
    return made_kernel_check(&made);
}

/* A variant that says that it cuts its factors may, except in an exercise, where flags of a student
 * count for nothing. Its tolerance has 16 * 2^-12 sqrt(k) more, and no more. Errors are those
 * against exact sums, in units of FP32's tolerance. */
Test(tolerances, gemm_that_says_that_it_cuts)
{
    const struct arithmetic cuts = {.operand = cut_to_tf32}, rounds = {.operand = bfloat16};
    const unsigned flags = LAB_SHOWS_ERROR | LAB_CUTS_TO_TF32;
    open_product("gemm", 33, 47, 64, 1.0f, 0.0f);
    cr_expect_eq(run_of_a_step((struct arithmetic){0}, LAB_SHOWS_ERROR, false).exact_error, 0.0);
    struct lab_check check = run_of_a_step(cuts, flags, true);
    cr_expect_eq(check.status, LAB_CHECK_OK, "%s", check.message);
    cr_expect(check.exact_error > 10.0 && check.exact_error < 0x1p-8 * 8 / (384 * U), "%g",
              check.exact_error);
    cr_expect_neq(run_of_a_step(cuts, flags, false).status, LAB_CHECK_OK, "as in an exercise");
    cr_expect_neq(run_of_a_step(cuts, LAB_SHOWS_ERROR, true).status, LAB_CHECK_OK, "says nothing");
    cr_expect_neq(run_of_a_step(rounds, flags, true).status, LAB_CHECK_OK, "bfloat16 passes");
    check = run_of_a_step((struct arithmetic){.error = 0.5 * 0x1p-8 * 8}, flags, true);
    cr_expect_eq(check.status, LAB_CHECK_OK, "%s", check.message);
    cr_expect_eq(run_of_a_step((struct arithmetic){.error = 2 * 0x1p-8 * 8}, flags, true).status,
                 LAB_CHECK_WRONG);
    check = run_of_a_step((struct arithmetic){.error = 192 * U}, LAB_SHOWS_ERROR, true);
    cr_expect_float_eq(check.exact_error, 0.5, 0.01); /* of the last element, which is a sample */
    made_kernel_close(&made);
}

Test(tolerances, gemm_tn)
{
    open_product("gemm_tn", 21, 34, 100, 1.0f, 1.0f);
    expect_tolerance(multiply, (400.0 + 160.0 + 4.0) * U);
    expect_reduced_precision_fails(multiply);
    expect_half_products_fail(multiply);
    made_kernel_close(&made);
}

Test(tolerances, gemm_nt)
{
    open_product("gemm_nt", 21, 34, 100, 1.0f, 1.0f);
    expect_tolerance(multiply, (400.0 + 160.0 + 4.0) * U);
    expect_reduced_precision_fails(multiply);
    expect_half_products_fail(multiply);
    made_kernel_close(&made);
}

/* Elements that carry a power of two have that power of the same tolerance: all of them. Where one
 * is small, an error that would pass in a large one does not. */
Test(tolerances, gemm_of_spread_values)
{
    made_kernel_open(&made, "gemm", "-m 24 -n 24 -k 64 --values spread");
    cr_expect_eq(run(multiply, (struct arithmetic){0}).status, LAB_CHECK_OK);
    expect_reduced_precision_fails(multiply);
    expect_half_products_fail(multiply);
    made_kernel_close(&made);
}

/* --- trmm, trmm lower, syr2k -------------------------------------------------------------------*/

/* `count` values of a problem of floats or of doubles on the host, in double, to be freed; and
 * back. */
static double *widened(bool is_float, const float *floats, const double *doubles, size_t count)
{
    float *const narrow = is_float ? made_kernel_floats(floats, count) : NULL;
    double *const wide =
        is_float ? malloc(count * sizeof *wide) : made_kernel_doubles(doubles, count);
    for (size_t i = 0; narrow && i < count; i++)
        wide[i] = (double)narrow[i];
    free(narrow);
    return wide;
}

static void put_back(bool is_float, float *floats, double *doubles, double *values, size_t count)
{
    float *const narrow = (float *)values;
    for (size_t i = 0; is_float && i < count; i++) {
        const float value = (float)values[i];
        memcpy(&narrow[i], &value, sizeof value);
    }
    to_device(is_float ? (void *)floats : doubles, values,
              count * (is_float ? sizeof *floats : sizeof *doubles));
}

static cudaError_t multiply_triangle(const void *problem, cudaStream_t stream)
{
    const struct lab_trmm *p = problem;
    const size_t n = p->n, m = p->m;
    const bool lower = strcmp(made.family->options->name, "trmm_lower") == 0;
    double *a = widened(p->is_float, p->a_float, p->a, n * n);
    double *b = widened(p->is_float, p->b_float, p->b, n * m);
    double *out = malloc(n * m * sizeof *out);
    (void)stream;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            long double sum = b[i * m + j];
            for (size_t k = lower ? 0 : i; k < (lower ? i + 1 : n); k++)
                sum = arithmetic.sum ? plus((double)sum, times(a[i * n + k], b[k * m + j]))
                                     : sum + times(a[i * n + k], b[k * m + j]);
            out[i * m + j] = (double)sum;
        }
    out[n * m - 1] += arithmetic.error;
    put_back(p->is_float, p->b_float, p->b, out, n * m);
    free(a), free(b), free(out);
    return cudaSuccess;
}

static cudaError_t multiply_both(const void *problem, cudaStream_t stream)
{
    const struct lab_syr2k *p = problem;
    const size_t n = p->n, length = (size_t)p->p * p->q;
    double *a = widened(p->is_float, p->a_float, p->a, n * length);
    double *b = widened(p->is_float, p->b_float, p->b, n * length);
    double *c = widened(p->is_float, p->c_float, p->c, n * n);
    (void)stream;
    for (size_t k = 0; k < n; k++)
        for (size_t l = k; l < n; l++) {
            long double sum = 0.0L;
            for (size_t i = 0; i < length; i++) {
                double both = times(a[l * length + i], b[k * length + i]) +
                              times(a[k * length + i], b[l * length + i]);
                sum = arithmetic.sum ? plus((double)sum, both) : sum + both;
            }
            c[k * n + l] = (double)(0.5L * sum);
        }
    c[n * n - 1] += arithmetic.error;
    put_back(p->is_float, p->c_float, p->c, c, n * n);
    free(a), free(b), free(c);
    return cudaSuccess;
}

static void expect_double_precision(lab_launch *launch, double tolerance)
{
    expect_tolerance(launch, tolerance);
    expect_reduced_precision_fails(launch);
    expect_half_products_fail(launch);
    cr_expect_eq(run(launch, (struct arithmetic){.operand = single}).status, LAB_CHECK_WRONG,
                 "%s: factors in FP32 pass", made.family->options->name);
    cr_expect_eq(run(launch, (struct arithmetic){.product = single}).status, LAB_CHECK_WRONG,
                 "%s: products in FP32 pass", made.family->options->name);
    made_kernel_close(&made);
}

/* 2 (L + 2) L 2^-53 with L = n + 1 = 31: 2046. */
Test(tolerances, trmm)
{
    made_kernel_open(&made, "trmm", "-n 30 -m 17");
    expect_double_precision(multiply_triangle, 2046.0 * 0x1p-53);
}

/* L = 42: 3696. */
Test(tolerances, trmm_lower)
{
    made_kernel_open(&made, "trmm_lower", "-n 41 -m 10");
    expect_double_precision(multiply_triangle, 3696.0 * 0x1p-53);
}

/* Two sums of p q = 21 products: L = 42. */
Test(tolerances, syr2k)
{
    made_kernel_open(&made, "syr2k", "-n 13 -p 3 -q 7");
    expect_double_precision(multiply_both, 3696.0 * 0x1p-53);
}

static void expect_float_precision(lab_launch *launch, double tolerance)
{
    expect_tolerance(launch, tolerance);
    expect_reduced_precision_fails(launch);
    expect_half_products_fail(launch);
    cr_expect_eq(run(launch, (struct arithmetic){.error = 0.125}).status, LAB_CHECK_WRONG,
                 "%s: a missing term passes", made.family->options->name);
    made_kernel_close(&made);
}

/* 4 L + 16 sqrt(L) + 4 with L = n + 1 = 36, and with L = 2048: 8192 + 724.1 + 4. */
Test(tolerances, trmm_of_floats)
{
    made_kernel_open(&made, "trmm", "-n 35 -m 17 --type f32");
    expect_float_precision(multiply_triangle, 244.0 * U);
    made_kernel_open(&made, "trmm", "-n 2047 -m 1 --type f32");
    cr_expect_lt(run(multiply_triangle, (struct arithmetic){0}).tolerance, 8921.0 * U);
    made_kernel_close(&made);
}

/* Half of that, with L = 2 p q = 36, and with L of the report's 2 x 96 x 96. */
Test(tolerances, syr2k_of_floats)
{
    made_kernel_open(&made, "syr2k", "-n 13 -p 2 -q 9 --type f32");
    expect_float_precision(multiply_both, 122.0 * U);
    made_kernel_open(&made, "syr2k", "-n 5 -p 96 -q 96 --type f32");
    expect_float_precision(multiply_both, 37952.1 * U);
}

/* A row of the library, as a run checks it. */
static struct lab_check check_library_row(const char *id, const char *type, int row)
{
    struct lab_check check = {.status = LAB_CHECK_OK};
    made_kernel_open(&made, id, "-n 30 -m 17%s", type);
    cr_assert_eq(lab_problem_prepare(made.problem, NULL, row), cudaSuccess);
    cr_assert_eq(lab_problem_reset(made.problem), cudaSuccess);
    cr_assert_eq(lab_problem_launch(made.problem), cudaSuccess);
    cr_assert_eq(lab_problem_check_all(made.problem, &check), cudaSuccess);
    made_kernel_close(&made);
    return check;
}

/* cuBLAS's product in place is the problem's solution less the old B, which the check knows. */
Test(tolerances, rows_of_the_library)
{
    static const char *const all[] = {"trmm", "trmm", "trmm_lower"};
    for (int i = 0; i < 3; i++) {
        const char *const type = i == 1 ? " --type f32" : "";
        struct lab_check check = check_library_row(all[i], type, LAB_REFERENCE);
        cr_expect_eq(check.status, LAB_CHECK_OK, "%s", check.message);
        cr_expect_lt(check.max_error, check.tolerance);
        check = check_library_row(all[i], type, LAB_FURTHER_REFERENCE);
        cr_expect_eq(check.status, LAB_CHECK_OK, "in place: %s", check.message);
        cr_expect_lt(check.max_error, check.tolerance);
    }
}

/* --- kernel summation, Cauchy ------------------------------------------------------------------*/

/* The allowed error of the last element, as harness/families/pairwise/reference.c derives it. */
static double allowed;

static cudaError_t sum_kernels(const void *problem, cudaStream_t stream)
{
    const struct lab_kernel_summation *p = problem;
    const size_t m = p->m, n = p->n, k = p->k;
    const bool cauchy = strcmp(made.family->options->name, "cauchy") == 0;
    float *a = made_kernel_floats(p->a, m * k), *b = made_kernel_floats(p->b, n * k);
    float *w = made_kernel_floats(p->w, n), *v = malloc(m * sizeof *v);
    double farthest = 0.0;
    (void)stream;
    for (size_t i = 0; i < m; i++) {
        double sum = 0.0, scale = 0.0, moment = 0.0, a_norm = 0.0;
        for (size_t l = 0; l < k; l++)
            a_norm += (double)a[i * k + l] * a[i * k + l];
        for (size_t j = 0; j < n; j++) {
            double b_norm = 0.0, product = 0.0;
            for (size_t l = 0; l < k; l++) {
                b_norm += (double)b[j * k + l] * b[j * k + l];
                product = plus(product, times(a[i * k + l], b[j * k + l]));
            }
            double x = fmax(a_norm + b_norm - 2.0 * product, 0.0) / (2.0 * p->h * p->h);
            double kernel = cauchy ? 1.0 / (1.0 + x) : exp(-x);
            sum += kernel * w[j];
            scale += kernel * fabs(w[j]);
            moment += kernel * x * fabs(w[j]);
            farthest = fmax(farthest, sqrt(b_norm));
        }
        double reach = sqrt(a_norm) + farthest;
        double d = (2.0 * sqrt(k) + 8.0) * U * reach * reach / (2.0 * p->h * p->h);
        allowed = scale * (exp(d) - 1.0) +
                  exp(d) * U * (4.0 * moment + (2.0 * sqrt(n) + 12.0) * scale) + n * 0x1p-126;
        v[i] = (float)sum;
    }
    v[m - 1] = (float)(v[m - 1] + arithmetic.error);
    to_device(p->v, v, m * sizeof *v);
    free(a), free(b), free(w), free(v);
    return cudaSuccess;
}

static double allowed_of_last(void)
{
    cr_expect_eq(run(sum_kernels, (struct arithmetic){0}).status, LAB_CHECK_OK);
    return allowed;
}

static void expect_sums(const char *family, const char *weights)
{
    made_kernel_open(&made, family, "-m 19 -n 256 -k 32 --weights %s", weights);
    expect_tolerance(sum_kernels, allowed_of_last());
    expect_reduced_precision_fails(sum_kernels);
    made_kernel_close(&made);
}

Test(tolerances, kernel_summation)
{
    expect_sums("kernel_summation", "positive");
    expect_sums("kernel_summation", "mixed");
}

Test(tolerances, cauchy)
{
    expect_sums("cauchy", "positive");
}

/* Rounded products show where few targets are summed; over many their errors cancel, below what is
 * allowed. Rounded factors always show: those of a source are the same for all its targets. */
Test(tolerances, summation_of_few_targets)
{
    static const char *const both[] = {"kernel_summation", "cauchy"};
    for (int i = 0; i < 2; i++) {
        made_kernel_open(&made, both[i], "-m 19 -n 16 -k 32");
        expect_tolerance(sum_kernels, allowed_of_last());
        expect_reduced_precision_fails(sum_kernels);
        expect_half_products_fail(sum_kernels);
        made_kernel_close(&made);
    }
}

/* What the derivation ends in: about 2e-5 of the sum for K = 32, N = 1024, h = 1. */
Test(tolerances, kernel_summation_as_its_page_says)
{
    made_kernel_open(&made, "kernel_summation", "-m 8 -n 1024 -k 32");
    struct lab_check check = run(sum_kernels, (struct arithmetic){0});
    cr_expect(check.tolerance > 1e-5 && check.tolerance < 4e-5, "%g", check.tolerance);
    cr_expect_lt(check.max_error, 1e-7, "%g", check.max_error);
    made_kernel_close(&made);
}

/* --- apsp, widest ------------------------------------------------------------------------------*/

/* Shortest paths by Floyd and Warshall; the last element is made wrong, in the type's own steps. */
static cudaError_t find_paths(const void *problem, cudaStream_t stream)
{
    const struct lab_apsp *p = problem;
    const size_t n = p->n;
    float *w = made_kernel_floats(p->w, n * n);
    double *d = malloc(n * n * sizeof *d);
    (void)stream;
    for (size_t i = 0; i < n * n; i++)
        d[i] = w[i];
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double way = d[i * n + k] + d[k * n + j];
                way = arithmetic.product && isfinite(way) ? arithmetic.product(way) : way;
                d[i * n + j] = fmin(d[i * n + j], way);
            }
    size_t last = n * n - 2;
    d[last] += arithmetic.error * (p->negative ? 1.0 : fabs(d[last]));
    for (size_t i = 0; i < n * n; i++)
        w[i] = (float)d[i];
    to_device(p->d, w, n * n * sizeof *w);
    free(w), free(d);
    return cudaSuccess;
}

/* A ring with chords: paths are long, and every vertex is reached. */
static void open_graph(double scale, int digits, bool one_negative)
{
    enum { N = 40 };
    char path[] = "/tmp/lab-tolerance-XXXXXX.tsv";
    int file = mkstemps(path, 4);
    FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
    cr_assert(stream);
    for (int i = 0; i < N; i++) {
        double weight = scale * (1.0 + 0.37 * (i % 7) + i * 0.0013);
        fprintf(stream, "%d\t%d\t%.*f\n", i, (i + 1) % N, digits,
                one_negative && i == 3 ? -0.25 * scale : weight);
        fprintf(stream, "%d\t%d\t%.*f\n", i, (i + 9) % N, digits, 8.1 * weight + 0.001);
    }
    fclose(stream);
    made_kernel_open(&made, "apsp", "--graph %s", path);
    unlink(path);
}

/* n u of a distance: 40 2^-24. */
Test(tolerances, apsp_f32)
{
    open_graph(1.0, 6, false);
    expect_tolerance(find_paths, 40.0 * U);
    cr_expect_eq(run(find_paths, (struct arithmetic){.product = half}).status, LAB_CHECK_WRONG);
    cr_expect_eq(run(find_paths, (struct arithmetic){.product = tf32}).status, LAB_CHECK_WRONG);
    cr_expect_eq(run(find_paths, (struct arithmetic){.product = bfloat16}).status, LAB_CHECK_WRONG);
    made_kernel_close(&made);
}

/* With a negative weight, n u of the n - 1 largest weights, whatever the distance: the largest is
 * the chord of the last vertex whose number is 6 modulo 7, 34. */
Test(tolerances, apsp_f32_with_a_negative_weight)
{
    open_graph(1.0, 6, true);
    double largest = 8.1 * (1.0 + 0.37 * 6 + 34 * 0.0013) + 0.001;
    expect_tolerance(find_paths, 40.0 * U * 39.0 * largest);
    cr_expect_eq(run(find_paths, (struct arithmetic){.product = half}).status, LAB_CHECK_WRONG);
    made_kernel_close(&made);
}

/* Whole numbers below 2^24 are exact: an ulp is too much. */
Test(tolerances, apsp_of_whole_numbers)
{
    open_graph(100.0, 0, false);
    struct lab_check check = run(find_paths, (struct arithmetic){0});
    cr_expect_eq(check.status, LAB_CHECK_OK, "%s", check.message);
    cr_expect_eq(check.tolerance, 0.0);
    check = run(find_paths, (struct arithmetic){.error = 1.5 * 2.0 * U});
    cr_expect_eq(check.status, LAB_CHECK_WRONG);
    made_kernel_close(&made);
}

static cudaError_t tell_of_a_cycle(const void *problem, cudaStream_t stream)
{
    const struct lab_apsp *p = problem;
    const size_t count = (size_t)p->n * p->n;
    float *d = calloc(count, sizeof *d);
    (void)stream;
    d[count - 1] = (float)arithmetic.error;
    to_device(p->d, d, count * sizeof *d);
    free(d);
    return cudaSuccess;
}

/* A cycle of length -0.75, of no whole numbers: far enough from 0 to be told, and to be asked for.
 */
Test(tolerances, apsp_with_a_negative_cycle)
{
    char path[] = "/tmp/lab-tolerance-XXXXXX.tsv";
    const char *const arcs = "0\t1\t1.5\n1\t2\t-3.25\n2\t0\t1.0\n";
    int file = mkstemps(path, 4);
    cr_assert(file >= 0 && write(file, arcs, strlen(arcs)) == (ssize_t)strlen(arcs));
    close(file);
    made_kernel_open(&made, "apsp", "--graph %s", path);
    unlink(path);
    cr_expect_eq(run(tell_of_a_cycle, (struct arithmetic){.error = -0.75}).status, LAB_CHECK_OK);
    cr_expect_eq(run(tell_of_a_cycle, (struct arithmetic){0}).status, LAB_CHECK_WRONG);
    made_kernel_close(&made);
}

static cudaError_t find_widest(const void *problem, cudaStream_t stream)
{
    const struct lab_widest *p = problem;
    const size_t n = p->n;
    float *d = made_kernel_floats(p->w, n * n);
    (void)stream;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                d[i * n + j] = fmaxf(d[i * n + j], fminf(d[i * n + k], d[k * n + j]));
    if (arithmetic.error != 0.0)
        d[n * n - 2] = nextafterf(d[n * n - 2], arithmetic.error > 0.0 ? 1e9f : 0.0f);
    if (arithmetic.product)
        for (size_t i = 0; i < n * n; i++)
            d[i] = (float)arithmetic.product(d[i]);
    to_device(p->d, d, n * n * sizeof *d);
    free(d);
    return cudaSuccess;
}

/* Nothing is rounded: an ulp is too much. */
static void expect_exact(cudaError_t (*solve)(const void *, cudaStream_t))
{
    cr_expect_eq(run(solve, (struct arithmetic){0}).status, LAB_CHECK_OK);
    cr_expect_eq(run(solve, (struct arithmetic){.error = 1.0}).status, LAB_CHECK_WRONG);
    cr_expect_eq(run(solve, (struct arithmetic){.error = -1.0}).status, LAB_CHECK_WRONG);
    cr_expect_eq(run(solve, (struct arithmetic){.product = half}).status, LAB_CHECK_WRONG);
    cr_expect_eq(run(solve, (struct arithmetic){.product = tf32}).status, LAB_CHECK_WRONG);
}

Test(tolerances, widest)
{
    made_kernel_open(&made, "widest", "-n 33");
    expect_exact(find_widest);
    made_kernel_close(&made);
}

/* --- warm-ups ----------------------------------------------------------------------------------*/

/* The last element is an ulp off where an error is asked for, all are where a lesser type is. */
static void spoil(float *values, size_t count)
{
    if (arithmetic.error != 0.0)
        values[count - 1] = nextafterf(values[count - 1], arithmetic.error > 0.0 ? 1e9f : -1e9f);
    for (size_t i = 0; i < count && arithmetic.product; i++)
        values[i] = (float)arithmetic.product(values[i]);
}

static cudaError_t copy_all(const void *problem, cudaStream_t stream)
{
    const struct lab_copy *p = problem;
    float *values = made_kernel_floats(p->from, (size_t)p->n);
    (void)stream;
    spoil(values, (size_t)p->n);
    to_device(p->to, values, (size_t)p->n * sizeof *values);
    free(values);
    return cudaSuccess;
}

Test(tolerances, copy)
{
    made_kernel_open(&made, "copy", "-n 1033");
    expect_exact(copy_all);
    made_kernel_close(&made);
}

static cudaError_t turn(const void *problem, cudaStream_t stream)
{
    const struct lab_transpose *p = problem;
    const size_t m = (size_t)p->m, n = (size_t)p->n;
    float *a = made_kernel_floats(p->a, m * n), *b = malloc(m * n * sizeof *b);
    (void)stream;
    for (size_t i = 0; i < m * n; i++)
        b[i] = a[i % m * n + i / m];
    spoil(b, m * n);
    to_device(p->b, b, m * n * sizeof *b);
    free(a), free(b);
    return cudaSuccess;
}

Test(tolerances, transpose)
{
    made_kernel_open(&made, "transpose", "-m 33 -n 47");
    expect_exact(turn);
    made_kernel_close(&made);
}

static cudaError_t add_all(const void *problem, cudaStream_t stream)
{
    const struct lab_reduction *p = problem;
    float *x = made_kernel_floats(p->x, (size_t)p->n), sum;
    double exact = arithmetic.error;
    (void)stream;
    for (int i = 0; i < p->n; i++)
        exact += arithmetic.operand ? arithmetic.operand(x[i]) : x[i];
    sum = (float)exact;
    to_device(p->sum, &sum, sizeof sum);
    free(x);
    return cudaSuccess;
}

/* 4 n + 16 sqrt(n). */
Test(tolerances, reduction)
{
    made_kernel_open(&made, "reduction", "-n 4096");
    expect_tolerance(add_all, (4.0 * 4096.0 + 16.0 * 64.0) * U);
    cr_expect_eq(run(add_all, (struct arithmetic){.operand = tf32}).status, LAB_CHECK_WRONG);
    cr_expect_eq(run(add_all, (struct arithmetic){.error = 0.5}).status, LAB_CHECK_WRONG);
    made_kernel_close(&made);
}

/* A power of two moves results and what they may be wrong by alike, and an infinity is no error. */
Test(tolerances, of_values_at_the_ends_of_a_range)
{
    static const char *const words[] = {"small", "special", "large"};
    for (int i = 0; i < 3; i++) {
        const double scale = ldexp(1.0, 100 * (i - 1));
        made_kernel_open(&made, "reduction", "-n 4096 --values %s", words[i]);
        if (i == 1)
            cr_expect_eq(run(add_all, (struct arithmetic){0}).status, LAB_CHECK_OK);
        else
            expect_tolerance(add_all, scale * (4.0 * 4096.0 + 16.0 * 64.0) * U);
        made_kernel_close(&made);
        made_kernel_open(&made, "trmm_lower", "-n 41 -m 10 --values %s", words[i]);
        expect_tolerance(multiply_triangle, scale * 3696.0 * 0x1p-53);
        made_kernel_close(&made);
        made_kernel_open(&made, "syr2k", "-n 13 -p 3 -q 7 --values %s", words[i]);
        expect_tolerance(multiply_both, scale * 3696.0 * 0x1p-53);
        made_kernel_close(&made);
        made_kernel_open(&made, "widest", "-n 33 --values %s", words[i]);
        expect_exact(find_widest);
        made_kernel_close(&made);
    }
}

static cudaError_t add_in_a_chain(const void *problem, cudaStream_t stream)
{
    const struct lab_reduction *p = problem;
    float *x = made_kernel_floats(p->x, (size_t)p->n), sum = 0.0f;
    (void)stream;
    for (int i = 0; i < p->n; i++)
        sum += x[i];
    to_device(p->sum, &sum, sizeof sum);
    free(x);
    return cudaSuccess;
}

/* One element after another, the worst order: right all the same. */
Test(tolerances, reduction_in_a_chain)
{
    for (int seed = 1; seed <= 8; seed++) {
        made_kernel_open(&made, "reduction", "-n 1000003 --seed %d", seed);
        cr_expect_eq(run(add_in_a_chain, (struct arithmetic){0}).status, LAB_CHECK_OK);
        made_kernel_close(&made);
    }
}

static cudaError_t count_keys(const void *problem, cudaStream_t stream)
{
    const struct lab_histogram *p = problem;
    float *bits = made_kernel_floats((const float *)p->keys, (size_t)p->n);
    int counts[LAB_HISTOGRAM_BINS] = {0};
    (void)stream;
    for (int i = 0, key; i < p->n; i++) {
        memcpy(&key, &bits[i], sizeof key);
        cr_assert(key >= 0 && key < LAB_HISTOGRAM_BINS);
        counts[key]++;
    }
    cr_expect_gt(counts[0], p->n / 3, "a dark background");
    cr_expect_gt(counts[LAB_HISTOGRAM_BINS - 1], 0);
    counts[LAB_HISTOGRAM_BINS - 1] += (int)arithmetic.error;
    to_device(p->counts, counts, sizeof counts);
    free(bits);
    return cudaSuccess;
}

/* Nothing is rounded: one key too many is too much. */
Test(tolerances, histogram)
{
    made_kernel_open(&made, "histogram", "-n 70001");
    cr_expect_eq(run(count_keys, (struct arithmetic){0}).status, LAB_CHECK_OK);
    cr_expect_eq(run(count_keys, (struct arithmetic){.error = 1.0}).status, LAB_CHECK_WRONG);
    cr_expect_eq(run(count_keys, (struct arithmetic){.error = -1.0}).status, LAB_CHECK_WRONG);
    made_kernel_close(&made);
}

/* --- md ----------------------------------------------------------------------------------------*/

enum { POSITION, VELOCITY, ACCELERATION, FORCE, POTENTIAL, ENERGIES };

/* The array that is off, in its last element; and what that may be off by. */
static int off_in;
static double may_be_off[ENERGIES + 1];

static double largest(const double *vector)
{
    return fmax(fabs(vector[0]), fmax(fabs(vector[1]), fabs(vector[2])));
}

/* One particle with all others: its force and potential, and their bounds. */
static void sum_pairs(const struct lab_md *p, const float *x, int i, double force[4],
                      double bound[2])
{
    double amount[2] = {0.0}, r2, widest;
    memset(force, 0, 4 * sizeof *force);
    bound[0] = bound[1] = 0.0;
    for (int j = 0; j < p->n; j++) {
        double d[3];
        if (j == i)
            continue;
        for (int c = 0; c < 3; c++)
            d[c] = (double)x[c * p->row + i] - (double)x[c * p->row + j];
        widest = largest(d);
        r2 = times(d[0], d[0]) + times(d[1], d[1]) + times(d[2], d[2]);
        const double r = sqrt(r2), s6 = pow(r2, -3.0), e = 2.0 * sqrt(3.0) * U * widest;
        for (int c = 0; c < 3; c++)
            force[c] = plus(force[c], times(24.0 * (2.0 * s6 * s6 - s6) / r2, d[c]));
        force[3] = plus(force[3], 2.0 * (s6 * s6 - s6));
        amount[0] += fabs(24.0 * (2.0 * s6 * s6 - s6) / r);
        amount[1] += fabs(2.0 * (s6 * s6 - s6));
        bound[0] += 48.0 * U * 24.0 * (2.0 * s6 * s6 + s6) / r +
                    e * 24.0 * (26.0 * s6 * s6 + 7.0 * s6) / r2;
        bound[1] += 48.0 * U * 2.0 * (s6 * s6 + s6) + e * 12.0 * (2.0 * s6 * s6 + s6) / r;
    }
    bound[0] += (p->n - 1) * U * amount[0];
    bound[1] += (p->n - 1) * U * amount[1];
}

/* A time step, in double precision but for `arithmetic`. */
static cudaError_t one_step(const void *problem, cudaStream_t stream)
{
    const struct lab_md *p = problem;
    const size_t all = 3 * p->row;
    const double dt = (double)p->dt, m = (double)p->mass;
    float *x = made_kernel_floats(p->position, all), *v = made_kernel_floats(p->velocity, all),
          *a = made_kernel_floats(p->acceleration, all), *f = made_kernel_floats(p->force, all),
          *potential = made_kernel_floats(p->potential, p->n);
    double energies[2] = {0.0}, force[64][4], bound[2] = {0.0};
    (void)stream;
    for (int i = 0; i < p->n; i++) {
        sum_pairs(p, x, i, force[i], bound);
        energies[0] += force[i][3];
        potential[i] = (float)force[i][3];
    }
    for (int i = 0; i < p->n; i++) {
        double speed[3], old[3], there[3], then[3];
        for (int c = 0; c < 3; c++) {
            const size_t at = c * p->row + i;
            const double next = force[i][c] / m;
            speed[c] = v[at], old[c] = a[at];
            energies[1] += 0.5 * m * speed[c] * speed[c];
            there[c] = x[at] + dt * speed[c] + 0.5 * dt * dt * old[c];
            then[c] = speed[c] + 0.5 * dt * (next + old[c]);
            double off[ENERGIES + 2] = {
                0.0}; /* rounded with what it is added to; the last: none is off */
            off[off_in] = i == p->n - 1 && c == 2 ? arithmetic.error : 0.0;
            x[at] = (float)(there[c] + off[POSITION]);
            v[at] = (float)(then[c] + off[VELOCITY]);
            a[at] = (float)(next + off[ACCELERATION]);
            f[at] = (float)(force[i][c] + off[FORCE]);
        }
        const double most = largest(force[i]) / m;
        may_be_off[POSITION] = 2.0 * U * largest(there) +
                               4.0 * U * (dt * largest(speed) + 0.5 * dt * dt * largest(old));
        may_be_off[VELOCITY] = 0.5 * dt * bound[0] / m + U * largest(then) +
                               4.0 * U * 0.5 * dt * (most + largest(old));
        may_be_off[ACCELERATION] = bound[0] / m + 2.0 * U * most;
    }
    may_be_off[FORCE] = bound[0];
    may_be_off[POTENTIAL] = bound[1];
    may_be_off[ENERGIES] = (5.0 * U + p->n * 0x1p-53) * energies[1];
    potential[p->n - 1] += off_in == POTENTIAL ? (float)arithmetic.error : 0.0f;
    energies[1] += off_in == ENERGIES ? arithmetic.error : 0.0;
    to_device(p->position, x, all * sizeof *x);
    to_device(p->velocity, v, all * sizeof *v);
    to_device(p->acceleration, a, all * sizeof *a);
    to_device(p->force, f, all * sizeof *f);
    to_device(p->potential, potential, p->n * sizeof *potential);
    to_device(p->energies, energies, sizeof energies);
    free(x), free(v), free(a), free(f), free(potential);
    return cudaSuccess;
}

/* Each array by its own bound, as harness/families/md/reference.c derives it. */
Test(tolerances, md)
{
    made_kernel_open(&made, "md", "-n 20 --mass 1.5");
    for (off_in = POSITION; off_in <= ENERGIES; off_in++) {
        cr_expect_eq(run(one_step, (struct arithmetic){0}).status, LAB_CHECK_OK, "right");
        expect_tolerance(one_step, may_be_off[off_in]);
    }
    expect_reduced_precision_fails(one_step);
    expect_half_products_fail(one_step);
    cr_expect_eq(run(one_step, (struct arithmetic){.product = single, .sum = single}).status,
                 LAB_CHECK_OK, "sums in single precision are right");
    made_kernel_close(&made);
}
