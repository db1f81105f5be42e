/* Family syr2k: the upper triangle of C = (B A' + A B') / 2 in FP64, where A and B are n x p x q,
 * here n rows of p q values. The reference is cublasDsyr2k; small problems are checked against
 * compensated sums. */
#include "families/syr2k.h"
#include "families/fp64/fp64.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C, SAMPLES = 64 };
static const double SMALL = 1 << 27; /* products that compensated sums take a second or so for */

static size_t length(const struct lab_problem *p)
{
    return p->matrix[A].columns;
}

/* Operations that are asked for: n (n + 1) / 2 elements, each of 2 p q products and as many
 * additions. The halving is left out. */
static double operations(const struct lab_problem *p)
{
    return 2.0 * p->n * (p->n + 1.0) * length(p);
}

/* A single size means p = q = n, as in the report. */
static void choose_sizes(struct lab_problem *p, const struct lab_options *options, int size)
{
    int given = (options->n > 0) + (options->p > 0) + (options->q > 0);
    if (given == 1)
        size = options->n + options->p + options->q;
    p->n = given == 1 || !options->n ? size : options->n;
    p->p = given == 1 || !options->p ? size : options->p;
    p->q = given == 1 || !options->q ? size : options->q;
}

static int open_syr2k(const struct lab_options *options, int default_size, cudaStream_t stream,
                      struct lab_problem **problem)
{
    char sizes[64];
    struct lab_problem *p = *problem = calloc(1, sizeof *p);
    if (!p)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    choose_sizes(p, options, default_size);
    snprintf(sizes, sizeof sizes, "n=%d p=%d q=%d", p->n, p->p, p->q);
    size_t columns = (size_t)p->p * p->q;
    if (columns > LAB_SIZE_MAX)
        return lab_complain(LAB_EXIT_USAGE, "%s: p times q is at most %d; give smaller sizes",
                            sizes, LAB_SIZE_MAX);
    p->matrix[A] = (struct fp64_matrix){.name = "A", .rows = p->n, .columns = columns};
    p->matrix[B] = (struct fp64_matrix){.name = "B", .rows = p->n, .columns = columns};
    p->matrix[C] = (struct fp64_matrix){
        .name = "C", .rows = p->n, .columns = p->n, .is_upper = true, .is_blank = true};
    p->output = C;
    p->seed = options->seed;
    p->stream = stream;
    p->tolerance = fp64_tolerance(2.0 * columns);
    return fp64_open(p, sizes);
}

/* A row-major n x k matrix is column-major k x n; the upper triangle is the lower one there. */
static cudaError_t launch_reference(struct lab_problem *p)
{
    const struct lab_buffer *matrix = p->buffers.matrix;
    const double half = 0.5, zero = 0.0;
    int k = (int)length(p);
    cublasStatus_t status =
        cublasDsyr2k(p->cublas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, p->n, k, &half, matrix[A].data,
                     k, matrix[B].data, k, &zero, matrix[C].data, p->n);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

static double exact_element(const double *a_k, const double *a_l, const double *b_k,
                            const double *b_l, size_t count)
{
    return 0.5 * fp64_exact_dot(fp64_exact_dot(0.0, a_l, b_k, count), a_k, b_l, count);
}

static int sum_exactly(struct lab_problem *p)
{
    size_t n = p->n, columns = length(p), bytes = n * columns * sizeof(double);
    double *a = malloc(bytes), *b = malloc(bytes);
    if (a && b) {
        fp64_fill(p, A, a, 0, n * columns);
        fp64_fill(p, B, b, 0, n * columns);
        for (size_t k = 0; k < n; k++)
            for (size_t l = k; l < n; l++)
                p->expected[k * n + l] = exact_element(a + k * columns, a + l * columns,
                                                       b + k * columns, b + l * columns, columns);
    }
    bool done = a && b;
    free(a);
    free(b);
    return done ? LAB_EXIT_OK : lab_complain(LAB_EXIT_MISSING, "out of memory");
}

static int complain_of_reference(const struct lab_problem *p, size_t k, size_t l, double exact)
{
    return lab_complain(LAB_EXIT_MISSING,
                        "the reference itself is wrong: cublasDsyr2k gives C[%zu][%zu] = %.17g, "
                        "compensated sums %.17g",
                        k, l, p->expected[k * p->n + l], exact);
}

/* cuBLAS is trusted only after a sample of it agrees with compensated sums. */
static int verify_reference(const struct lab_problem *p)
{
    size_t n = p->n, columns = length(p), step = n * n / SAMPLES + 1;
    double *rows = malloc(4 * columns * sizeof *rows);
    int status = rows ? LAB_EXIT_OK : lab_complain(LAB_EXIT_MISSING, "out of memory");
    for (size_t i = 0; i < n * n && status == LAB_EXIT_OK; i += step) {
        size_t k = i / n, l = i % n < k ? k : i % n;
        fp64_fill(p, A, rows, k * columns, columns);
        fp64_fill(p, A, rows + columns, l * columns, columns);
        fp64_fill(p, B, rows + 2 * columns, k * columns, columns);
        fp64_fill(p, B, rows + 3 * columns, l * columns, columns);
        double exact =
            exact_element(rows, rows + columns, rows + 2 * columns, rows + 3 * columns, columns);
        if (!(fabs(p->expected[k * n + l] - exact) <= p->tolerance))
            status = complain_of_reference(p, k, l, exact);
    }
    free(rows);
    return status;
}

static int make_reference(struct lab_problem *p)
{
    if (0.5 * operations(p) <= SMALL)
        return sum_exactly(p);
    cudaError_t status = fp64_reset(p);
    if (status == cudaSuccess)
        status = fp64_expect_output(p, launch_reference(p));
    if (status != cudaSuccess)
        return lab_complain(LAB_EXIT_MISSING, "the reference, cublasDsyr2k, failed: %s",
                            cudaGetErrorString(status));
    return verify_reference(p);
}

static void describe(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const double term = 0.125; /* that a missing one moves an element by, at least */
    *facts = (struct lab_problem_facts){
        .sizes = {{"n", p->n}, {"p", p->p}, {"q", p->q}},
        .size_count = 3,
        .flops = operations(p),
        .bytes = 8.0 * (2.0 * p->n * length(p) + 0.5 * p->n * (p->n + 1.0)),
        .device_bytes = fp64_footprint(p),
        .note = p->tolerance > term ? "sums so long that rounding may hide a missing term" : NULL,
    };
}

static struct lab_syr2k argument(const struct lab_problem *p)
{
    const struct lab_buffer *matrix = p->buffers.matrix;
    return (struct lab_syr2k){.n = p->n,
                              .p = p->p,
                              .q = p->q,
                              .a = matrix[A].data,
                              .b = matrix[B].data,
                              .c = matrix[C].data,
                              .workspace = p->workspace.data};
}

static size_t row_bytes(struct lab_problem *p, const struct lab_step *step, int row)
{
    struct lab_syr2k problem = argument(p);
    return row >= 0 && lab_row_of(step, row)->workspace ? lab_row_of(step, row)->workspace(&problem)
                                                        : 0;
}

static cudaError_t prepare_row(struct lab_problem *p, const struct lab_step *step, int row)
{
    p->deterministic = row >= 0 && lab_row_of(step, row)->flags & LAB_ROW_REPEATABLE;
    return fp64_prepare(p, row_bytes(p, step, row));
}

static cudaError_t launch(struct lab_problem *p, const struct lab_step *step, int row)
{
    p->row = row;
    p->step = step;
    if (row == LAB_REFERENCE_ROW)
        return launch_reference(p);
    struct lab_syr2k problem = argument(p);
    return lab_row_of(step, row)->launch(&problem, p->stream);
}

static void compare_bits(const struct lab_problem *p, const double *first, const double *again,
                         struct lab_check *check)
{
    size_t n = p->n, i = 0;
    while (i < n * n && memcmp(&first[i], &again[i], sizeof *first) == 0)
        i++;
    if (i == n * n)
        return;
    check->status = LAB_CHECK_WRONG;
    snprintf(check->message, sizeof check->message,
             "C[%zu][%zu] is %.17g in one launch and %.17g in the next: a deterministic row sums "
             "in one order, without atomics",
             i / n, i % n, first[i], again[i]);
}

/* A deterministic row is launched once more. */
static cudaError_t check_again(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_buffer *c = &p->buffers.matrix[C];
    double *first = malloc(c->bytes), *again = malloc(c->bytes);
    cudaError_t status = first && again ? cudaSuccess : cudaErrorMemoryAllocation;
    if (status == cudaSuccess)
        status = cudaMemcpy(first, c->data, c->bytes, cudaMemcpyDeviceToHost);
    if (status == cudaSuccess)
        status = fp64_reset(p);
    if (status == cudaSuccess)
        status = launch(p, p->step, p->row);
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(p->stream);
    if (status == cudaSuccess)
        status = cudaMemcpy(again, c->data, c->bytes, cudaMemcpyDeviceToHost);
    if (status == cudaSuccess)
        compare_bits(p, first, again, check);
    free(first);
    free(again);
    return status;
}

static cudaError_t check_all(struct lab_problem *p, struct lab_check *check)
{
    cudaError_t status = fp64_check_all(p, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK && p->deterministic)
        status = check_again(p, check);
    return status;
}

static int pointers(const void *problem, struct lab_pointer *list)
{
    const struct lab_syr2k *p = problem;
    const size_t n = (size_t)p->n, row = (size_t)p->p * (size_t)p->q;
    list[0] = LAB_POINTER(struct lab_syr2k, a, n * row * sizeof(double), LAB_ROLE_INPUT);
    list[1] = LAB_POINTER(struct lab_syr2k, b, n * row * sizeof(double), LAB_ROLE_INPUT);
    list[2] = LAB_POINTER(struct lab_syr2k, c, n * n * sizeof(double), LAB_ROLE_OUTPUT);
    list[3] = LAB_POINTER(struct lab_syr2k, workspace, 0, LAB_ROLE_SCRATCH);
    return 4;
}

/* n x n C of long and short sums. */
static const char *const test_sizes[] = {"-n 1",
                                         "-n 2",
                                         "-n 7",
                                         "-n 15",
                                         "-n 17 -p 17 -q 33",
                                         "-n 31",
                                         "-n 33",
                                         "-n 63 -p 3",
                                         "-n 64 -p 2",
                                         "-n 65 -p 3 -q 5",
                                         "-n 127 -p 3",
                                         "-n 129 -p 1",
                                         "-n 1 -p 4099",
                                         "-n 1 -q 4099",
                                         "-n 257 -p 1 -q 1",
                                         "-n 2 -p 8190",
                                         "-n 5 -p 3 -q 7",
                                         "-n 130 -p 2 -q 17",
                                         NULL};
static const char *const gpu_test_sizes[] = {"-n 128", "-n 129 -p 127 -q 131", "-n 1023 -p 5 -q 7",
                                             "-n 2 -p 1000 -q 1001", NULL};

const struct lab_family lab_syr2k_family = {
    .name = "syr2k",
    .title = "syr2k",
    .problem_bytes = sizeof(struct lab_syr2k),
    .pointers = pointers,
    .test_sizes = test_sizes,
    .gpu_test_sizes = gpu_test_sizes,
    .type = "f64",
    .reference = "cublas",
    .default_size = 256,
    .open = open_syr2k,
    .make_reference = make_reference,
    .close = fp64_close,
    .facts = describe,
    .row_bytes = row_bytes,
    .prepare_row = prepare_row,
    .reset = fp64_reset,
    .launch = launch,
    .copy_in = fp64_copy_in,
    .copy_out = fp64_copy_out,
    .check_output = fp64_check_output,
    .check_all = check_all,
};
