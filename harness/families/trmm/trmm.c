/* Family trmm: B = B + triu(A) B in FP64, in place; or with tril(A). The reference is cublasDtrmm
 * out of place and an addition; small problems are checked against compensated sums. Shown beside:
 * cublasDtrmm in place and out of place, which give triu(A) B alone. */
#include "families/trmm.h"
#include "families/fp64/fp64.h"

#include "families/inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { A, B, SAMPLES = 64, IN_PLACE_ROW = LAB_ALSO_ROW, ALONE_ROW = LAB_ALSO_ROW - 1 };
static const char *const also[] = {"cublas_in_place", "cublas_alone", NULL};
static const double SMALL = 1 << 27; /* products that compensated sums take a second or so for */

/* Operations that are asked for, counted as cuBLAS's are: element i of a column takes n - i
 * products and as many additions, n (n + 1) of both together in each of the m columns; the
 * diagonal's share, n m, and the additions to B, another n m, are left out. */
static double operations(const struct lab_problem *p)
{
    return (double)p->n * p->n * p->m;
}

static int open_either(const struct lab_options *options, int default_size, cudaStream_t stream,
                       bool is_lower, struct lab_problem **problem)
{
    char sizes[64];
    struct lab_problem *p = *problem = calloc(1, sizeof *p);
    if (!p)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    int given = options->n ? options->n : options->m;
    p->n = options->n ? options->n : given ? given : default_size;
    p->m = options->m ? options->m : given ? given : default_size;
    p->matrix[A] = (struct fp64_matrix){
        .name = "A", .rows = p->n, .columns = p->n, .is_upper = !is_lower, .is_lower = is_lower};
    p->matrix[B] = (struct fp64_matrix){.name = "B", .rows = p->n, .columns = p->m};
    p->output = B;
    p->seed = options->seed;
    p->stream = stream;
    p->tolerance = fp64_tolerance(p->n + 1.0);
    snprintf(sizes, sizeof sizes, "n=%d m=%d", p->n, p->m);
    return fp64_open(p, sizes);
}

static int open_trmm(const struct lab_options *options, int default_size, cudaStream_t stream,
                     struct lab_problem **problem)
{
    return open_either(options, default_size, stream, false, problem);
}

static int open_trmm_lower(const struct lab_options *options, int default_size, cudaStream_t stream,
                           struct lab_problem **problem)
{
    return open_either(options, default_size, stream, true, problem);
}

/* First and last column of a row of A that count. */
static size_t first_of(const struct lab_problem *p, size_t row)
{
    return p->matrix[A].is_lower ? 0 : row;
}
static size_t end_of(const struct lab_problem *p, size_t row)
{
    return p->matrix[A].is_lower ? row + 1 : (size_t)p->n;
}

/* Row-major B += triu(A) B is column-major B' += B' triu(A)', lower triangular there. */
static cudaError_t multiply(struct lab_problem *p, double *to)
{
    const struct lab_buffer *matrix = p->buffers.matrix;
    const double one = 1.0;
    cublasStatus_t status =
        cublasDtrmm(p->cublas, CUBLAS_SIDE_RIGHT,
                    p->matrix[A].is_lower ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER,
                    CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, p->m, p->n, &one, matrix[A].data, p->n,
                    matrix[B].data, p->m, to, p->m);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

static cudaError_t launch_reference(struct lab_problem *p)
{
    double *b = p->buffers.matrix[B].data, *product = p->workspace.data;
    const double one = 1.0;
    cudaError_t status = multiply(p, product);
    if (status != cudaSuccess)
        return status;
    return cublasDgeam(p->cublas, CUBLAS_OP_N, CUBLAS_OP_N, p->m, p->n, &one, b, p->m, &one,
                       product, p->m, b, p->m) == CUBLAS_STATUS_SUCCESS
               ? cudaSuccess
               : cudaErrorUnknown;
}

static void fill_all(const struct lab_problem *p, double *a, double *b)
{
    fp64_fill(p, A, a, 0, fp64_count(p, A));
    fp64_fill(p, B, b, 0, fp64_count(p, B));
}

/* Row by row: each is the old one plus multiples of the old rows from there on, or up to there. */
static int sum_exactly(struct lab_problem *p)
{
    size_t n = p->n, m = p->m;
    double *a = malloc(n * n * sizeof *a), *b = malloc(n * m * sizeof *b);
    double *rest = malloc(m * sizeof *rest);
    if (a && b && rest) {
        fill_all(p, a, b);
        for (size_t i = 0; i < n; i++) {
            double *row = p->expected + i * m;
            for (size_t j = 0; j < m; j++) {
                row[j] = b[i * m + j];
                rest[j] = 0.0;
            }
            for (size_t k = first_of(p, i); k < end_of(p, i); k++)
                fp64_exact_add(row, rest, a[i * n + k], b + k * m, m);
            for (size_t j = 0; j < m; j++)
                row[j] += rest[j];
        }
    }
    bool done = a && b && rest;
    free(a);
    free(b);
    free(rest);
    return done ? LAB_EXIT_OK : lab_complain(LAB_EXIT_MISSING, "out of memory");
}

/* An element from scratch: its row of A and column of B are made again. */
static double exact_element(const struct lab_problem *p, size_t row, size_t column)
{
    double sum, rest = 0.0, a, b;
    fp64_fill(p, B, &sum, row * p->m + column, 1);
    for (size_t k = first_of(p, row); k < end_of(p, row); k++) {
        fp64_fill(p, A, &a, row * p->n + k, 1);
        fp64_fill(p, B, &b, k * p->m + column, 1);
        fp64_exact_add(&sum, &rest, a, &b, 1);
    }
    return sum + rest;
}

/* cuBLAS is trusted only after a sample of it agrees with compensated sums. */
static int verify_reference(const struct lab_problem *p)
{
    size_t count = fp64_count(p, B), step = count / SAMPLES + 1;
    for (size_t i = 0; i < count; i += step) {
        double exact = exact_element(p, i / p->m, i % p->m);
        if (!(fabs(p->expected[i] - exact) <= p->tolerance))
            return lab_complain(LAB_EXIT_MISSING,
                                "the reference itself is wrong: cublasDtrmm gives B[%zu][%zu] = "
                                "%.17g, compensated sums %.17g",
                                i / p->m, i % p->m, p->expected[i], exact);
    }
    return LAB_EXIT_OK;
}

static int make_reference(struct lab_problem *p)
{
    if (0.5 * operations(p) <= SMALL)
        return sum_exactly(p);
    cudaError_t status = fp64_prepare(p, fp64_count(p, B) * sizeof(double));
    if (status == cudaErrorMemoryAllocation)
        return lab_complain(LAB_EXIT_USAGE,
                            "no memory for the reference of n=%d m=%d; give smaller -n -m", p->n,
                            p->m);
    if (status == cudaSuccess)
        status = fp64_reset(p);
    if (status == cudaSuccess)
        status = fp64_expect_output(p, launch_reference(p));
    if (status != cudaSuccess)
        return lab_complain(LAB_EXIT_MISSING, "the reference, cublasDtrmm, failed: %s",
                            cudaGetErrorString(status));
    return verify_reference(p);
}

static void describe(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    double triangle = 0.5 * p->n * (p->n + 1.0);
    *facts = (struct lab_problem_facts){
        .sizes = {{"n", p->n}, {"m", p->m}},
        .size_count = 2,
        .flops = operations(p),
        .bytes = 8.0 * (triangle + 2.0 * p->n * p->m),
        .device_bytes = fp64_footprint(p),
    };
}

static struct lab_trmm argument(const struct lab_problem *p)
{
    const struct lab_buffer *matrix = p->buffers.matrix;
    return (struct lab_trmm){.n = p->n,
                             .m = p->m,
                             .a = matrix[A].data,
                             .b = matrix[B].data,
                             .workspace = p->workspace.data};
}

static size_t row_bytes(struct lab_problem *p, const struct lab_step *step, int row)
{
    struct lab_trmm problem = argument(p);
    if (row < 0)
        return row == IN_PLACE_ROW ? 0 : fp64_count(p, B) * sizeof(double);
    return lab_row_of(step, row)->workspace ? lab_row_of(step, row)->workspace(&problem) : 0;
}

static cudaError_t prepare_row(struct lab_problem *p, const struct lab_step *step, int row)
{
    return fp64_prepare(p, row_bytes(p, step, row));
}

static cudaError_t launch(struct lab_problem *p, const struct lab_step *step, int row)
{
    p->row = row;
    p->elsewhere = row == ALONE_ROW ? p->workspace.data : NULL;
    if (row == LAB_REFERENCE_ROW)
        return launch_reference(p);
    if (row == IN_PLACE_ROW)
        return multiply(p, p->buffers.matrix[B].data);
    if (row == ALONE_ROW)
        return multiply(p, p->workspace.data);
    struct lab_trmm problem = argument(p);
    return lab_row_of(step, row)->launch(&problem, p->stream);
}

static int pointers(const void *problem, struct lab_pointer *list)
{
    const struct lab_trmm *p = problem;
    const size_t n = (size_t)p->n, m = (size_t)p->m;
    list[0] = LAB_POINTER(struct lab_trmm, a, n * n * sizeof(double), LAB_ROLE_INPUT);
    list[1] = LAB_POINTER(struct lab_trmm, b, n * m * sizeof(double), LAB_ROLE_OUTPUT);
    list[2] = LAB_POINTER(struct lab_trmm, workspace, 0, LAB_ROLE_SCRATCH);
    return 3;
}

/* n x n triangles and n x m B: 1, primes, one less and more than a tile, wide, tall. */
static const char *const test_sizes[] = {
    "-n 1",        "-n 2",         "-n 7",        "-n 31",        "-n 33",         "-n 63",
    "-n 65",       "-n 127",       "-n 128",      "-n 129",       "-n 8 -m 64",    "-n 1 -m 4099",
    "-n 521 -m 1", "-n 3 -m 1031", "-n 257 -m 5", "-n 130 -m 66", "-n 200 -m 127", "-n 34 -m 129",
    NULL};
static const char *const gpu_test_sizes[] = {"-n 1000",        "-n 1023 -m 2047", "-n 2048",
                                             "-n 4097 -m 129", "-n 67 -m 70001",  NULL};

/* All that the two have in common: they differ in A's triangle. */
#define TRMM_COMMON                                                                                \
    .type = "f64", .problem_bytes = sizeof(struct lab_trmm), .pointers = pointers,                 \
    .test_sizes = test_sizes, .gpu_test_sizes = gpu_test_sizes, .reference = "cublas",             \
    .also = also, .default_size = 4096, .make_reference = make_reference, .close = fp64_close,     \
    .facts = describe, .row_bytes = row_bytes, .prepare_row = prepare_row, .reset = fp64_reset,    \
    .launch = launch, .copy_in = fp64_copy_in, .copy_out = fp64_copy_out,                          \
    .check_output = fp64_check_output, .check_all = fp64_check_all

const struct lab_family lab_trmm_family = {
    .name = "trmm", .title = "trmm", .open = open_trmm, TRMM_COMMON};

const struct lab_family lab_trmm_lower_family = {
    .name = "trmm_lower", .title = "trmm, lower", .open = open_trmm_lower, TRMM_COMMON};
