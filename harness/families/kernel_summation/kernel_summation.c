/* Family kernel summation: V = K W with K(i, j) = exp(-|a_i - b_j|^2 / (2 h^2)), in FP32. What it
 * is compared with is a row of the step itself, cublas_unfused, since cuBLAS has no such call. */
#include "families/kernel_summation/kernel_summation.h"

#include <stdlib.h>

enum { DEFAULT_TARGETS = 1024, DEFAULT_DIMENSIONS = 32 };

static int open_either(const struct lab_options *options, int default_size, cudaStream_t stream,
                       bool cauchy, struct lab_problem **problem)
{
    struct lab_problem *p = *problem = calloc(1, sizeof *p);
    if (!p)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    p->cauchy = cauchy;
    p->m = options->m ? options->m : default_size;
    p->n = options->n ? options->n : DEFAULT_TARGETS;
    p->k = options->k ? options->k : DEFAULT_DIMENSIONS;
    p->h = options->bandwidth;
    p->offset = options->offset;
    p->weights = options->weights;
    p->seed = options->seed;
    p->stream = stream;
    int status = summation_create_buffers(p);
    if (status == LAB_EXIT_OK)
        status = lab_cublas_open(&p->cublas, stream);
    return status;
}

static int open_summation(const struct lab_options *options, int default_size, cudaStream_t stream,
                          struct lab_problem **problem)
{
    return open_either(options, default_size, stream, false, problem);
}

static int open_cauchy(const struct lab_options *options, int default_size, cudaStream_t stream,
                       struct lab_problem **problem)
{
    return open_either(options, default_size, stream, true, problem);
}

static void close_summation(struct lab_problem *p)
{
    if (!p)
        return;
    lab_cublas_close(&p->cublas);
    summation_destroy_buffers(p);
    free(p);
}

/* The one place that says what counts as an operation. For each pair of points 2 K of the product,
 * and 7 of the evaluation: the norms' sum (1), minus twice the product (2), the scale (1), the
 * exponential (1), times the weight and added (2). For each point 2 K of its norm. The paper gives
 * GFLOPS as nvprof counts executed operations, which for its kernels is the same but for the
 * exponential, of which nvprof sees the several instructions that make it up. */
static double operations(const struct lab_problem *p)
{
    double pairs = (double)p->m * p->n;
    return pairs * (2.0 * p->k + 7.0) + 2.0 * p->k * ((double)p->m + p->n);
}

/* An error of as much as this is no check. */
static const double LOOSE = 0.5;

static void describe(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    double points = (double)p->m + p->n;
    *facts = (struct lab_problem_facts){
        .sizes = {{"m", p->m}, {"n", p->n}, {"k", p->k}},
        .size_count = 3,
        .factors = {{"h", p->h}, {"offset", p->offset}},
        .factor_count = p->offset != 0.0f ? 2 : 1,
        .flops = operations(p),
        .bytes = 4.0 * (points * p->k + points),
        .device_bytes = summation_footprint(p),
        .note = p->tolerance > LOOSE ? "so far from the origin, FP32 leaves no digit of the "
                                       "distances at this bandwidth: any result passes"
                                     : NULL,
    };
}

static struct lab_kernel_summation argument(const struct lab_problem *p, int row)
{
    const struct summation_buffers *s = &p->buffers;
    return (struct lab_kernel_summation){.m = p->m,
                                         .n = p->n,
                                         .k = p->k,
                                         .h = p->h,
                                         .deterministic = (row & LAB_DETERMINISTIC_FORM) != 0,
                                         .a = s->a.data,
                                         .b = s->b.data,
                                         .w = s->w.data,
                                         .v = s->v.data,
                                         .workspace = p->workspace.data,
                                         .library = &p->cublas.library};
}

static size_t row_bytes(struct lab_problem *p, const struct lab_step *step, int row)
{
    const struct lab_step_row *r = lab_row_of(step, row);
    struct lab_kernel_summation problem = argument(p, row);
    return r->workspace ? r->workspace(&problem) : 0;
}

static cudaError_t prepare_row(struct lab_problem *p, const struct lab_step *step, int row)
{
    size_t bytes = row_bytes(p, step, row);
    p->cublas.calls = 0;
    lab_buffer_destroy(&p->workspace);
    return bytes ? lab_buffer_create(&p->workspace, bytes, "workspace") : cudaSuccess;
}

cudaError_t summation_launch(struct lab_problem *p)
{
    struct lab_kernel_summation problem = argument(p, p->row);
    return lab_row_of(p->step, p->row)->launch(&problem, p->stream);
}

static cudaError_t launch(struct lab_problem *p, const struct lab_step *step, int row)
{
    p->step = step;
    p->row = row;
    p->deterministic = row & LAB_DETERMINISTIC_FORM;
    return summation_launch(p);
}

static bool used_library(const struct lab_problem *p)
{
    return p->cublas.calls > 0;
}

static int pointers(const void *problem, struct lab_pointer *list)
{
    const struct lab_kernel_summation *p = problem;
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k, one = sizeof(float);
    list[0] = LAB_POINTER(struct lab_kernel_summation, a, m * k * one, LAB_ROLE_INPUT);
    list[1] = LAB_POINTER(struct lab_kernel_summation, b, n * k * one, LAB_ROLE_INPUT);
    list[2] = LAB_POINTER(struct lab_kernel_summation, w, n * one, LAB_ROLE_INPUT);
    list[3] = LAB_POINTER(struct lab_kernel_summation, v, m * one, LAB_ROLE_OUTPUT);
    list[4] = LAB_POINTER(struct lab_kernel_summation, workspace, 0, LAB_ROLE_SCRATCH);
    return 5;
}

/* 1, primes, one less and more than the tiles in use, thin and tall; bandwidths tiny and huge. */
static const char *const test_sizes[] = {"-m 1",
                                         "-m 2",
                                         "-m 7",
                                         "-m 17",
                                         "-m 31",
                                         "-m 33",
                                         "-m 63",
                                         "-m 65",
                                         "-m 127",
                                         "-m 128",
                                         "-m 129",
                                         "-m 257",
                                         "-m 1 -n 4096 -k 3",
                                         "-m 4096 -n 1 -k 64",
                                         "-m 3 -n 5 -k 4099",
                                         "-m 130 -n 260 -k 1",
                                         "-m 256 -n 128 -k 36",
                                         "-m 132 -n 124 -k 20",
                                         NULL};
static const char *const test_options[] = {"--weights mixed --deterministic", "--bandwidth 0.3",
                                           "--offset 100 --bandwidth 20", NULL};
static const char *const gpu_test_sizes[] = {
    "-m 1000",
    "-m 1023",
    "-m 2048 -n 1 -k 2048",
    "-m 8191 -n 129 -k 65",
    "-m 70000 -n 33 -k 17",
    "-m 1 -n 1 -k 1 --weights mixed --deterministic",
    "-m 1 -n 1 -k 9 --weights mixed --deterministic",
    "-m 2 -n 3 -k 5 --weights mixed --deterministic",
    "-m 13 -n 11 -k 7 --weights mixed --deterministic",
    "-m 127 -n 127 -k 7 --weights mixed --deterministic",
    "-m 128 -n 128 -k 8 --weights mixed --deterministic",
    "-m 129 -n 129 -k 9 --weights mixed --deterministic",
    "-m 127 -n 129 -k 31 --weights mixed --deterministic",
    "-m 129 -n 127 -k 33 --weights mixed --deterministic",
    "-m 257 -n 131 -k 17 --weights mixed --deterministic",
    "-m 1 -n 4099 -k 3 --weights mixed --deterministic",
    "-m 4099 -n 1 -k 4 --weights mixed --deterministic",
    "-m 5 -n 3 -k 4099 --weights mixed --deterministic",
    "-m 300 -n 260 -k 16 --weights mixed --deterministic",
    "-m 31 -n 1025 -k 12 --weights mixed --deterministic",
    "-m 47 -n 255 -k 441 --weights mixed --deterministic",
    "-m 48 -n 256 -k 448 --weights mixed --deterministic",
    "-m 49 -n 257 -k 449 --weights mixed --deterministic",
    "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth 1e-45",
    "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth 1e-30",
    "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth 1e-10",
    "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth 1e-3",
    "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth 0.05",
    "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth 0.2",
    "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth 5",
    "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth 1e10",
    "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth 3e38",
    NULL};

/* All that the two have in common: they differ in the kernel function. */
#define SUMMATION_COMMON                                                                           \
    .type = "f32", .problem_bytes = sizeof(struct lab_kernel_summation), .pointers = pointers,     \
    .test_sizes = test_sizes, .test_options = test_options, .gpu_test_sizes = gpu_test_sizes,      \
    .reference = "cublas_unfused", .reference_in_step = true, .default_size = 131072,              \
    .make_reference = summation_make_reference, .close = close_summation, .facts = describe,       \
    .row_bytes = row_bytes, .prepare_row = prepare_row, .reset = summation_reset,                  \
    .launch = launch, .used_library = used_library, .check_output = summation_check_output,        \
    .check_all = summation_check_all

const struct lab_family lab_kernel_summation_family = {.name = "kernel_summation",
                                                       .title = "kernel summation",
                                                       .open = open_summation,
                                                       SUMMATION_COMMON};

const struct lab_family lab_cauchy_family = {
    .name = "cauchy", .title = "kernel summation, cauchy", .open = open_cauchy, SUMMATION_COMMON};
