/* Family gemm: C = alpha A B + beta C in FP32, row-major. The reference is cublasSgemm. */
#include "problem/problem.h"

#include "problem/buffer.h"
#include "problem/compare.h"
#include "problem/inputs.h"

#include <cublas_v2.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SETS = 64, STAGING_FLOATS = 1 << 20, SAMPLES = 64 };
enum matrix { MATRIX_A, MATRIX_B, MATRIX_C };

/* Side of the default cube: fills a GPU; finishes in seconds on the simulator. */
enum { DEFAULT_GPU = 4096, DEFAULT_SIM = 1024 };

struct gemm_set {
    struct lab_buffer a, b, c;
};

struct lab_problem {
    int m, n, k;
    float alpha, beta;
    uint64_t seed;
    cudaStream_t stream;
    cublasHandle_t cublas;
    struct gemm_set sets[MAX_SETS];
    int set_count;
    struct lab_buffer old_c;     /* C before a launch; only when beta is not 0 */
    struct lab_buffer workspace; /* of the row prepared last */
    float *expected;             /* (m, n) on the host */
    float *staging;              /* STAGING_FLOATS, to move and compare in pieces */
};

static size_t count_a(const struct lab_problem *p)
{
    return (size_t)p->m * p->k;
}

static size_t count_b(const struct lab_problem *p)
{
    return (size_t)p->k * p->n;
}

static size_t count_c(const struct lab_problem *p)
{
    return (size_t)p->m * p->n;
}

static size_t set_footprint(const struct lab_problem *p)
{
    return lab_buffer_footprint(count_a(p) * sizeof(float)) +
           lab_buffer_footprint(count_b(p) * sizeof(float)) +
           lab_buffer_footprint(count_c(p) * sizeof(float));
}

/* --- data --------------------------------------------------------------------------------------*/

static cudaError_t upload(struct lab_problem *p, const struct lab_buffer *buffer, enum matrix which)
{
    size_t count = buffer->bytes / sizeof(float);
    for (size_t first = 0; first < count; first += STAGING_FLOATS) {
        size_t piece = count - first < STAGING_FLOATS ? count - first : STAGING_FLOATS;
        lab_inputs_fill(p->staging, first, piece, lab_inputs_seed(p->seed, which));
        cudaError_t status = cudaMemcpy((float *)buffer->data + first, p->staging,
                                        piece * sizeof(float), cudaMemcpyHostToDevice);
        if (status != cudaSuccess)
            return status;
    }
    return cudaSuccess;
}

static cudaError_t create_set(struct lab_problem *p, struct gemm_set *set)
{
    cudaError_t status = lab_buffer_create(&set->a, count_a(p) * sizeof(float), "A");
    if (status == cudaSuccess)
        status = lab_buffer_create(&set->b, count_b(p) * sizeof(float), "B");
    if (status == cudaSuccess)
        status = lab_buffer_create(&set->c, count_c(p) * sizeof(float), "C");
    if (status == cudaSuccess)
        status = upload(p, &set->a, MATRIX_A);
    if (status == cudaSuccess)
        status = upload(p, &set->b, MATRIX_B);
    return status;
}

static void destroy_set(struct gemm_set *set)
{
    lab_buffer_destroy(&set->a);
    lab_buffer_destroy(&set->b);
    lab_buffer_destroy(&set->c);
}

static int reserve(struct lab_problem *p, int sets)
{
    size_t free_bytes = 0, total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    while (p->set_count < sets && p->set_count < MAX_SETS && set_footprint(p) < free_bytes / 2) {
        struct gemm_set set = {0};
        if (create_set(p, &set) != cudaSuccess) {
            cudaGetLastError(); /* out of memory is not an error here: fewer sets do */
            destroy_set(&set);
            break;
        }
        p->sets[p->set_count++] = set;
        cudaMemGetInfo(&free_bytes, &total);
    }
    return p->set_count;
}

static cudaError_t reset(struct lab_problem *p, int set)
{
    const struct lab_buffer *c = &p->sets[set].c;
    if (p->beta == 0.0f)
        return lab_buffer_poison(c, p->stream);
    return cudaMemcpyAsync(c->data, p->old_c.data, c->bytes, cudaMemcpyDeviceToDevice, p->stream);
}

/* --- reference ---------------------------------------------------------------------------------*/

/* Row-major C = A B is column-major C' = B' A', which is what cuBLAS computes. */
static cudaError_t launch_cublas(struct lab_problem *p, int set)
{
    const struct gemm_set *s = &p->sets[set];
    cublasStatus_t status =
        cublasSgemm(p->cublas, CUBLAS_OP_N, CUBLAS_OP_N, p->n, p->m, p->k, &p->alpha, s->b.data,
                    p->n, s->a.data, p->k, &p->beta, s->c.data, p->n);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

/*
 * The tolerance on |got - expected|, both computed in FP32 in any order; u = 2^-24.
 *
 * Inputs have magnitude uniform in [1/2, 1) and random sign: the square of one has mean 7/12, so a
 * partial sum of j products has standard deviation (7/12) sqrt(j). Each addition rounds with an
 * error of at most u |sum|, of standard deviation below u |sum| / sqrt(3). Over k additions in the
 * worst order, one after another, that adds up to u / sqrt(3) * 7/12 * k / sqrt(2) = 0.24 u k. The
 * largest of 2^28 elements lies at 6.1 standard deviations, 1.45 u k; the difference of two such
 * results at sqrt(2) times that, 2.1 u k. We allow about twice: 4 u k. Scaling by alpha and adding
 * beta C round a few more times, relative to |alpha| * 3.6 sqrt(k) (6.1 standard deviations of the
 * sum) and |beta|: the other two terms, which also cover small k, where errors are not yet
 * Gaussian.
 *
 * A wrong term moves an element by at least |alpha| / 4, so it shows for every k below 10^6. TF32
 * or FP16 products err by 2^-11 each, some 10 times the tolerance at k = 4096, and show too.
 */
static float tolerance(const struct lab_problem *p)
{
    double u = ldexp(1.0, -24), k = p->k;
    return (float)(u * (fabs(p->alpha) * (4.0 * k + 16.0 * sqrt(k)) + 4.0 * fabs(p->beta)));
}

static double exact_element(const struct lab_problem *p, size_t row, size_t column)
{
    double sum = 0.0;
    float a, b, c;
    for (int i = 0; i < p->k; i++) {
        lab_inputs_fill(&a, row * p->k + i, 1, lab_inputs_seed(p->seed, MATRIX_A));
        lab_inputs_fill(&b, (size_t)i * p->n + column, 1, lab_inputs_seed(p->seed, MATRIX_B));
        sum += (double)a * b;
    }
    lab_inputs_fill(&c, row * p->n + column, 1, lab_inputs_seed(p->seed, MATRIX_C));
    return p->alpha * sum + (double)p->beta * c;
}

/* The reference is trusted only after a sample of it agrees with sums in double precision. */
static int verify_reference(const struct lab_problem *p)
{
    size_t count = count_c(p), step = count / SAMPLES + 1;
    for (size_t i = 0; i < count; i += step) {
        double exact = exact_element(p, i / p->n, i % p->n), got = p->expected[i];
        if (isfinite((float)exact) && !(fabs(got - exact) <= tolerance(p)))
            return lab_complain(LAB_EXIT_MISSING,
                                "the reference itself is wrong: cublasSgemm gives C[%zu][%zu] = "
                                "%.9g, double precision %.9g (is NVIDIA_TF32_OVERRIDE set?)",
                                i / p->n, i % p->n, got, exact);
    }
    return LAB_EXIT_OK;
}

static int make_reference(struct lab_problem *p)
{
    cudaError_t status = reset(p, 0);
    if (status == cudaSuccess)
        status = launch_cublas(p, 0);
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(p->stream);
    if (status == cudaSuccess)
        status =
            cudaMemcpy(p->expected, p->sets[0].c.data, p->sets[0].c.bytes, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return lab_complain(LAB_EXIT_MISSING, "the reference, cublasSgemm, failed: %s",
                            cudaGetErrorString(status));
    return verify_reference(p);
}

/* --- life --------------------------------------------------------------------------------------*/

static int check_memory(const struct lab_problem *p)
{
    size_t free_bytes = 0, total = 0;
    double needed = ((double)p->m * p->k + (double)p->k * p->n + (double)p->m * p->n) * 4.0;
    if (p->beta != 0.0f)
        needed += (double)p->m * p->n * 4.0;
    cudaMemGetInfo(&free_bytes, &total);
    if (needed + 8.0 * LAB_GUARD_BYTES + 4096 <= (double)free_bytes)
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_USAGE,
                        "%d x %d x %d needs %.1f GiB of device memory, %.1f GiB are free; give "
                        "smaller -m -n -k",
                        p->m, p->n, p->k, needed / (1 << 30), (double)free_bytes / (1 << 30));
}

static int out_of_memory(const struct lab_problem *p, cudaError_t status)
{
    return lab_complain(LAB_EXIT_USAGE, "no memory for %d x %d x %d (%s); give smaller -m -n -k",
                        p->m, p->n, p->k, cudaGetErrorString(status));
}

static int create_buffers(struct lab_problem *p)
{
    p->staging = malloc(STAGING_FLOATS * sizeof(float));
    p->expected = malloc(count_c(p) * sizeof(float));
    if (!p->staging || !p->expected)
        return out_of_memory(p, cudaErrorMemoryAllocation);
    cudaError_t status = create_set(p, &p->sets[0]);
    if (status == cudaSuccess && p->beta != 0.0f)
        status = lab_buffer_create(&p->old_c, count_c(p) * sizeof(float), "old C");
    if (status == cudaSuccess && p->beta != 0.0f)
        status = upload(p, &p->old_c, MATRIX_C);
    if (status != cudaSuccess)
        return out_of_memory(p, status);
    p->set_count = 1;
    return LAB_EXIT_OK;
}

static int open_gemm(const struct lab_options *options, const struct lab_device *device,
                     cudaStream_t stream, struct lab_problem **problem)
{
    int side = device->is_sim ? DEFAULT_SIM : DEFAULT_GPU;
    struct lab_problem *p = *problem = calloc(1, sizeof *p);
    if (!p)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    p->m = options->m ? options->m : side;
    p->n = options->n ? options->n : side;
    p->k = options->k ? options->k : side;
    p->alpha = options->alpha;
    p->beta = options->beta;
    p->seed = options->seed;
    p->stream = stream;
    int status = check_memory(p);
    if (status != LAB_EXIT_OK)
        return status;
    if (cublasCreate(&p->cublas) != CUBLAS_STATUS_SUCCESS ||
        cublasSetStream(p->cublas, stream) != CUBLAS_STATUS_SUCCESS)
        return lab_complain(LAB_EXIT_MISSING, "cuBLAS does not start; see ./run doctor");
    status = create_buffers(p);
    return status == LAB_EXIT_OK ? make_reference(p) : status;
}

static void close_gemm(struct lab_problem *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->set_count || i == 0; i++)
        destroy_set(&p->sets[i]);
    lab_buffer_destroy(&p->old_c);
    lab_buffer_destroy(&p->workspace);
    if (p->cublas)
        cublasDestroy(p->cublas);
    free(p->expected);
    free(p->staging);
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
        .set_bytes = set_footprint(p),
    };
}

/* --- rows --------------------------------------------------------------------------------------*/

static const char *row_name(const struct lab_step *step, int row)
{
    return step->gemm[row].name;
}

static struct lab_gemm argument(const struct lab_problem *p, int set)
{
    const struct gemm_set *s = &p->sets[set];
    return (struct lab_gemm){.m = p->m,
                             .n = p->n,
                             .k = p->k,
                             .alpha = p->alpha,
                             .beta = p->beta,
                             .a = s->a.data,
                             .b = s->b.data,
                             .c = s->c.data,
                             .workspace = p->workspace.data};
}

static cudaError_t prepare_row(struct lab_problem *p, const struct lab_step *step, int row)
{
    lab_buffer_destroy(&p->workspace);
    if (row == LAB_REFERENCE_ROW || !step->gemm[row].workspace)
        return cudaSuccess;
    struct lab_gemm problem = argument(p, 0);
    size_t bytes = step->gemm[row].workspace(&problem);
    return bytes ? lab_buffer_create(&p->workspace, bytes, "workspace") : cudaSuccess;
}

static cudaError_t launch(struct lab_problem *p, const struct lab_step *step, int row, int set)
{
    if (row == LAB_REFERENCE_ROW)
        return launch_cublas(p, set);
    struct lab_gemm problem = argument(p, set);
    return step->gemm[row].launch(&problem, p->stream);
}

/* --- checks ------------------------------------------------------------------------------------*/

static cudaError_t check_output(struct lab_problem *p, int set, struct lab_check *check)
{
    struct lab_comparison comparison = {.rows = p->m, .columns = p->n, .tolerance = tolerance(p)};
    const float *c = p->sets[set].c.data;
    for (size_t first = 0; first < count_c(p); first += STAGING_FLOATS) {
        size_t left = count_c(p) - first, piece = left < STAGING_FLOATS ? left : STAGING_FLOATS;
        cudaError_t status =
            cudaMemcpy(p->staging, c + first, piece * sizeof(float), cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        lab_compare(&comparison, p->expected + first, p->staging, piece);
    }
    lab_compare_verdict(&comparison, "C", check);
    return cudaSuccess;
}

static cudaError_t check_guards(const struct lab_buffer *buffer, struct lab_check *check)
{
    bool intact = true;
    ptrdiff_t offset = 0;
    if (!buffer->base)
        return cudaSuccess;
    cudaError_t status = lab_buffer_check_guards(buffer, &intact, &offset);
    if (status == cudaSuccess && !intact) {
        check->status = LAB_CHECK_OUT_OF_BOUNDS;
        ptrdiff_t past = offset < 0 ? -offset : offset - (ptrdiff_t)buffer->bytes;
        snprintf(check->message, sizeof check->message,
                 "written outside %s, %td bytes %s its %s; look at the last rows and columns", //
                 buffer->name, past, offset < 0 ? "before" : "past", offset < 0 ? "start" : "end");
    }
    return status;
}

/* Inputs are made again, piece by piece, and compared bit by bit. */
static cudaError_t check_input(struct lab_problem *p, const struct lab_buffer *buffer,
                               enum matrix which, int columns, struct lab_check *check)
{
    enum { PIECE = STAGING_FLOATS / 2 };
    size_t count = buffer->bytes / sizeof(float);
    float *now = p->staging, *before = p->staging + PIECE;
    for (size_t first = 0; first < count; first += PIECE) {
        size_t piece = count - first < PIECE ? count - first : PIECE;
        cudaError_t status = cudaMemcpy(now, (const float *)buffer->data + first,
                                        piece * sizeof(float), cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        lab_inputs_fill(before, first, piece, lab_inputs_seed(p->seed, which));
        if (memcmp(now, before, piece * sizeof(float)) == 0)
            continue;
        size_t i = 0;
        while (memcmp(now + i, before + i, sizeof(float)) == 0)
            i++;
        check->status = LAB_CHECK_INPUT_MODIFIED;
        snprintf(check->message, sizeof check->message,
                 "the kernel changed its input: %s[%zu][%zu] was %.7g, is %.7g", buffer->name,
                 (first + i) / columns, (first + i) % columns, (double)before[i], (double)now[i]);
        return cudaSuccess;
    }
    return cudaSuccess;
}

static cudaError_t check_all(struct lab_problem *p, int set, struct lab_check *check)
{
    const struct gemm_set *s = &p->sets[set];
    const struct lab_buffer *guarded[] = {&s->c, &s->a, &s->b, &p->workspace};
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < 4 && status == cudaSuccess && check->status == LAB_CHECK_OK; i++)
        status = check_guards(guarded[i], check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = check_input(p, &s->a, MATRIX_A, p->k, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = check_input(p, &s->b, MATRIX_B, p->n, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = check_output(p, set, check);
    return status;
}

const struct lab_family lab_gemm_family = {
    .id = LAB_FAMILY_GEMM,
    .name = "gemm",
    .type = "f32",
    .reference = "cublas",
    .open = open_gemm,
    .close = close_gemm,
    .facts = describe,
    .reserve = reserve,
    .row_name = row_name,
    .prepare_row = prepare_row,
    .reset = reset,
    .launch = launch,
    .check_output = check_output,
    .check_all = check_all,
};
