/* Family gemm: C = alpha A B + beta C in FP32, row-major. The reference is cublasSgemm. */
#include "families/gemm/gemm.h"

#include <stdlib.h>

static int open_either(const struct lab_options *options, int default_size, cudaStream_t stream,
                       bool a_transposed, struct lab_problem **problem)
{
    struct lab_problem *p = *problem = calloc(1, sizeof *p);
    if (!p)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    p->a_transposed = a_transposed;
    p->m = options->m ? options->m : default_size;
    p->n = options->n ? options->n : default_size;
    p->k = options->k ? options->k : default_size;
    p->alpha = options->alpha;
    p->beta = options->beta;
    p->seed = options->seed;
    p->values = options->values;
    p->stream = stream;
    int status = gemm_create_buffers(p);
    if (status != LAB_EXIT_OK)
        return status;
    if (cublasCreate(&p->cublas) != CUBLAS_STATUS_SUCCESS ||
        cublasSetStream(p->cublas, stream) != CUBLAS_STATUS_SUCCESS)
        return lab_complain(LAB_EXIT_MISSING, "cuBLAS does not start; see ./run doctor");
    return gemm_make_reference(p);
}

static int open_gemm(const struct lab_options *options, int default_size, cudaStream_t stream,
                     struct lab_problem **problem)
{
    return open_either(options, default_size, stream, false, problem);
}

static int open_gemm_tn(const struct lab_options *options, int default_size, cudaStream_t stream,
                        struct lab_problem **problem)
{
    return open_either(options, default_size, stream, true, problem);
}

static void close_gemm(struct lab_problem *p)
{
    if (!p)
        return;
    if (p->cublas)
        cublasDestroy(p->cublas);
    gemm_destroy_buffers(p);
    free(p);
}

static void describe(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    double mn = (double)p->m * p->n;
    *facts = (struct lab_problem_facts){
        .sizes = {{"m", p->m}, {"n", p->n}, {"k", p->k}},
        .size_count = 3,
        .factors = {{"alpha", p->alpha}, {"beta", p->beta}},
        .factor_count = 2,
        .flops = 2.0 * mn * p->k,
        .bytes = 4.0 * ((double)p->m * p->k + (double)p->k * p->n + mn * (p->beta ? 2 : 1)),
        .device_bytes = gemm_footprint(p),
    };
}

static struct lab_gemm argument(const struct lab_problem *p)
{
    const struct gemm_buffers *s = &p->buffers;
    return (struct lab_gemm){.m = p->m,
                             .n = p->n,
                             .k = p->k,
                             .alpha = p->alpha,
                             .beta = p->beta,
                             .a = s->a.data,
                             .b = s->b.data,
                             .c = s->c.data,
                             .a_is_transposed = p->a_transposed,
                             .row_a = p->a_transposed ? p->m : p->k,
                             .row_b = p->n,
                             .row_c = p->n,
                             .workspace = p->workspace.data};
}

static size_t row_bytes(struct lab_problem *p, const struct lab_step *step, int row)
{
    struct lab_gemm problem = argument(p);
    return row != LAB_REFERENCE_ROW && lab_row_of(step, row)->workspace
               ? lab_row_of(step, row)->workspace(&problem)
               : 0;
}

static cudaError_t prepare_row(struct lab_problem *p, const struct lab_step *step, int row)
{
    size_t bytes = row_bytes(p, step, row);
    lab_buffer_destroy(&p->workspace);
    return bytes ? lab_buffer_create(&p->workspace, bytes, "workspace") : cudaSuccess;
}

static cudaError_t launch(struct lab_problem *p, const struct lab_step *step, int row)
{
    if (row == LAB_REFERENCE_ROW)
        return gemm_launch_reference(p);
    struct lab_gemm problem = argument(p);
    return lab_row_of(step, row)->launch(&problem, p->stream);
}

static int pointers(const void *problem, struct lab_pointer *list)
{
    const struct lab_gemm *p = problem;
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    list[0] = LAB_POINTER(struct lab_gemm, a, m * k * sizeof(float), LAB_ROLE_INPUT);
    list[1] = LAB_POINTER(struct lab_gemm, b, k * n * sizeof(float), LAB_ROLE_INPUT);
    list[2] = LAB_POINTER(struct lab_gemm, c, m * n * sizeof(float), LAB_ROLE_OUTPUT);
    list[3] = LAB_POINTER(struct lab_gemm, workspace, 0, LAB_ROLE_SCRATCH);
    return 4;
}

/* 1, primes, one less and more than the tiles in use, thin and tall. */
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
static const char *const test_options[] = {"--alpha -1.5 --beta 0.75", "--alpha 0 --beta 1",
                                           "--alpha 0.25 --beta 1", NULL};
static const char *const gpu_test_sizes[] = {
    "-m 1000", "-m 1023", "-m 2048 -n 1 -k 2048", "-m 8191 -n 129 -k 65", "-m 70000 -n 33 -k 17",
    NULL};

/* All that the two have in common: they differ in how A is stored. */
#define GEMM_COMMON                                                                                \
    .type = "f32", .problem_bytes = sizeof(struct lab_gemm), .pointers = pointers,                 \
    .test_sizes = test_sizes, .test_options = test_options, .gpu_test_sizes = gpu_test_sizes,      \
    .reference = "cublas", .default_size = 4096, .close = close_gemm, .facts = describe,           \
    .row_bytes = row_bytes, .prepare_row = prepare_row, .reset = gemm_reset, .launch = launch,     \
    .check_output = gemm_check_output, .check_all = gemm_check_all

const struct lab_family lab_gemm_family = {
    .name = "gemm", .title = "gemm", .open = open_gemm, GEMM_COMMON};

const struct lab_family lab_gemm_tn_family = {
    .name = "gemm_tn", .title = "gemm tn", .open = open_gemm_tn, GEMM_COMMON};
