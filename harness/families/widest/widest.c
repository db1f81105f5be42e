/* Family widest: d[i][j] = the greatest width of a path from i to j, where a path is as wide as its
 * narrowest arc: exercise 11. The max-min counterpart of family apsp; nothing is rounded, so
 * results are compared exactly. */
#include "families/buffer.h"
#include "families/compare.h"
#include "families/guards.h"
#include "families/inputs.h"
#include "families/problem.h"

#include "families/widest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Inputs and output of one launch. */
struct widest_buffers {
    struct lab_buffer w, d;
};

struct lab_problem {
    int n;
    uint64_t seed;
    cudaStream_t stream;
    struct widest_buffers buffers;
    struct lab_buffer workspace;
    float *w, *expected, *staging; /* (n, n) each, on the host */
};

static size_t count_of(const struct lab_problem *p)
{
    return (size_t)p->n * p->n;
}

/* About every fourth arc is there; the others have width 0. Standing still is as wide as one likes.
 */
static void make_arcs(struct lab_problem *p)
{
    lab_inputs_fill(p->w, 0, count_of(p), lab_inputs_seed(p->seed, 0));
    lab_inputs_fill(p->staging, 0, count_of(p), lab_inputs_seed(p->seed, 1));
    for (size_t i = 0; i < count_of(p); i++)
        p->w[i] = fabsf(p->staging[i]) < 0.625f ? fabsf(p->w[i]) : 0.0f;
    for (size_t i = 0; i < (size_t)p->n; i++)
        p->w[i * p->n + i] = INFINITY;
}

/* Floyd and Warshall, with max and min. */
static int make_reference(struct lab_problem *p)
{
    size_t n = p->n;
    memcpy(p->expected, p->w, count_of(p) * sizeof *p->w);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) {
            float first = p->expected[i * n + k];
            for (size_t j = 0; j < n; j++) {
                float second = p->expected[k * n + j];
                float through = first < second ? first : second;
                if (through > p->expected[i * n + j])
                    p->expected[i * n + j] = through;
            }
        }
    return LAB_EXIT_OK;
}

static size_t device_bytes(const struct lab_problem *p)
{
    return 2 * lab_buffer_footprint(count_of(p) * sizeof(float));
}

static void release(struct lab_problem *p)
{
    struct widest_buffers *buffers = &p->buffers;
    lab_buffer_destroy(&buffers->w);
    lab_buffer_destroy(&buffers->d);
}

static cudaError_t allocate(struct lab_problem *p)
{
    struct widest_buffers *buffers = &p->buffers;
    size_t bytes = count_of(p) * sizeof(float);
    cudaError_t status = lab_buffer_create(&buffers->w, bytes, "w");
    if (status == cudaSuccess)
        status = lab_buffer_create(&buffers->d, bytes, "d");
    if (status == cudaSuccess)
        status = cudaMemcpy(buffers->w.data, p->w, bytes, cudaMemcpyHostToDevice);
    return status;
}

static int open_widest(const struct lab_options *options, int default_size, cudaStream_t stream,
                       struct lab_problem **problem)
{
    struct lab_problem *p = *problem = calloc(1, sizeof *p);
    if (!p)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    p->n = options->n ? options->n : default_size;
    p->seed = options->seed;
    p->stream = stream;
    if (count_of(p) < ((size_t)1 << 40)) {
        p->w = malloc(count_of(p) * sizeof(float));
        p->expected = malloc(count_of(p) * sizeof(float));
        p->staging = malloc(count_of(p) * sizeof(float));
    }
    if (!p->w || !p->expected || !p->staging)
        return lab_complain(LAB_EXIT_USAGE, "no memory for n=%d; give a smaller -n", p->n);
    make_arcs(p);
    if (allocate(p) != cudaSuccess)
        return lab_complain(LAB_EXIT_USAGE, "no device memory for n=%d; give a smaller -n", p->n);
    return LAB_EXIT_OK;
}

static void close_widest(struct lab_problem *p)
{
    if (!p)
        return;
    release(p);
    lab_buffer_destroy(&p->workspace);
    free(p->w);
    free(p->expected);
    free(p->staging);
    free(p);
}

static void describe(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    double n = p->n;
    *facts = (struct lab_problem_facts){
        .sizes = {{"n", p->n}},
        .size_count = 1,
        .flops = 2.0 * n * n * n,
        .bytes = 8.0 * n * n,
        .device_bytes = device_bytes(p),
    };
}

static struct lab_widest argument(const struct lab_problem *p)
{
    return (struct lab_widest){
        .n = p->n, .w = p->buffers.w.data, .d = p->buffers.d.data, .workspace = p->workspace.data};
}

static size_t row_bytes(struct lab_problem *p, const struct lab_step *step, int row)
{
    struct lab_widest problem = argument(p);
    return row >= 0 && lab_row_of(step, row)->workspace ? lab_row_of(step, row)->workspace(&problem)
                                                        : 0;
}

static cudaError_t prepare_row(struct lab_problem *p, const struct lab_step *step, int row)
{
    size_t bytes = row_bytes(p, step, row);
    lab_buffer_destroy(&p->workspace);
    return bytes ? lab_buffer_create(&p->workspace, bytes, "workspace") : cudaSuccess;
}

static cudaError_t reset(struct lab_problem *p)
{
    return lab_buffer_poison(&p->buffers.d, p->stream);
}

static cudaError_t launch(struct lab_problem *p, const struct lab_step *step, int row)
{
    struct lab_widest problem = argument(p);
    return lab_row_of(step, row)->launch(&problem, p->stream);
}

static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    struct lab_comparison comparison = {.rows = p->n, .columns = p->n, .tolerance = 0.0};
    cudaError_t status =
        cudaMemcpy(p->staging, p->buffers.d.data, p->buffers.d.bytes, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    lab_compare(&comparison, p->expected, p->staging, count_of(p));
    lab_compare_verdict(&comparison, "d", check);
    return cudaSuccess;
}

static cudaError_t check_input(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_buffer *w = &p->buffers.w;
    if (check->status != LAB_CHECK_OK)
        return cudaSuccess;
    cudaError_t status = cudaMemcpy(p->staging, w->data, w->bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; status == cudaSuccess && i < count_of(p); i++)
        if (memcmp(&p->staging[i], &p->w[i], sizeof(float)) != 0) {
            check->status = LAB_CHECK_INPUT_MODIFIED;
            snprintf(check->message, sizeof check->message,
                     "the kernel changed its input: w[%zu][%zu] was %.7g, is %.7g", i / p->n,
                     i % p->n, (double)p->w[i], (double)p->staging[i]);
            break;
        }
    return status;
}

static cudaError_t check_all(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_buffer *guarded[] = {&p->buffers.d, &p->buffers.w, &p->workspace};
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < 3 && status == cudaSuccess; i++)
        status = lab_check_guards(guarded[i], "the last rows and columns", check);
    if (status == cudaSuccess)
        status = check_input(p, check);
    return status == cudaSuccess && check->status == LAB_CHECK_OK ? check_output(p, check) : status;
}

static int pointers(const void *problem, struct lab_pointer *list)
{
    const struct lab_widest *p = problem;
    const size_t bytes = (size_t)p->n * (size_t)p->n * sizeof(float);
    list[0] = LAB_POINTER(struct lab_widest, w, bytes, LAB_ROLE_INPUT);
    list[1] = LAB_POINTER(struct lab_widest, d, bytes, LAB_ROLE_OUTPUT);
    list[2] = LAB_POINTER(struct lab_widest, workspace, 0, LAB_ROLE_SCRATCH);
    return 3;
}

/* Vertices around the tiles in use. */
static const char *const test_sizes[] = {"-n 1",  "-n 2",  "-n 17",  "-n 31",
                                         "-n 33", "-n 65", "-n 129", NULL};
static const char *const gpu_test_sizes[] = {"-n 500", "-n 1025", NULL};

const struct lab_family lab_widest_family = {
    .name = "widest",
    .title = "widest",
    .problem_bytes = sizeof(struct lab_widest),
    .pointers = pointers,
    .test_sizes = test_sizes,
    .gpu_test_sizes = gpu_test_sizes,
    .type = "f32",
    .reference = "",
    .reference_in_step = true,
    .work_varies = true,
    .default_size = 1024,
    .open = open_widest,
    .make_reference = make_reference,
    .close = close_widest,
    .facts = describe,
    .row_bytes = row_bytes,
    .prepare_row = prepare_row,
    .reset = reset,
    .launch = launch,
    .check_output = check_output,
    .check_all = check_all,
};
