/* Family gemm: C = alpha A B + beta C in FP32, row-major. The reference is cublasSgemm. */
#include "families/gemm/state.h"

#include "families/compare.h"
#include "families/test_sizes.h"

#include <math.h>
#include <stdlib.h>

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    const struct gemm_options *own = lab_own_options(options, p->family->options);
    struct lab_gemm *g = p->argument;
    g->m = lab_size_of(options, p->family->options, 'm', size);
    g->n = lab_size_of(options, p->family->options, 'n', size);
    g->k = lab_size_of(options, p->family->options, 'k', size);
    g->alpha = own->alpha;
    g->beta = own->beta;
    g->row_a = g->k;
    g->row_b = g->n;
    g->row_c = g->n;
    gemm_state_of(p)->values = own->values;
    return LAB_EXIT_OK;
}

static int begin_transposed(struct lab_problem *p, const struct lab_options *options, int size)
{
    struct lab_gemm *g = p->argument;
    int status = begin(p, options, size);
    g->a_is_transposed = true;
    g->row_a = g->m;
    return status;
}

static void end(struct lab_problem *p)
{
    free(gemm_state_of(p)->expected);
}

static int arrays(const void *argument, struct lab_array *list)
{
    const struct lab_gemm *g = argument;
    list[GEMM_A] = LAB_ARRAY(struct lab_gemm, a, .name = "A", .role = LAB_ROLE_INPUT,
                             .count = gemm_count(g, GEMM_A),
                             .row = (size_t)(g->a_is_transposed ? g->m : g->k));
    list[GEMM_B] = LAB_ARRAY(struct lab_gemm, b, .name = "B", .role = LAB_ROLE_INPUT,
                             .count = gemm_count(g, GEMM_B), .row = (size_t)g->n);
    list[GEMM_C] =
        LAB_ARRAY(struct lab_gemm, c, .name = "C", .role = LAB_ROLE_OUTPUT,
                  .count = gemm_count(g, GEMM_C), .row = (size_t)g->n, .blank = g->beta == 0.0f);
    list[3] = LAB_ARRAY(struct lab_gemm, workspace, .role = LAB_ROLE_SCRATCH);
    return 4;
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct lab_gemm *g = gemm_of(p);
    const double m = g->m, n = g->n, k = g->k;
    *facts = (struct lab_problem_facts){
        .sizes = {{"m", g->m}, {"n", g->n}, {"k", g->k}},
        .size_count = 3,
        .factors = {{"alpha", g->alpha}, {"beta", g->beta}},
        .factor_count = 2,
        .flops = 2.0 * m * n * k,
        .bytes = 4.0 * (m * k + k * n + m * n * (g->beta ? 2 : 1)),
    };
}

/* Wrong elements that are what C held before: `values` receives that, where beta counts. */
static size_t count_untouched(const struct lab_problem *p, size_t first, size_t count,
                              float *values)
{
    const float *got = p->staging, *expected = gemm_state_of(p)->expected + first;
    const double tolerance = gemm_tolerance(p);
    size_t found = 0;
    lab_problem_fill(p, GEMM_C, values, first, count);
    gemm_unspread(p, values, first, count);
    for (size_t i = 0; i < count; i++)
        found += got[i] == values[i] && !(fabs((double)got[i] - expected[i]) <= tolerance);
    return found;
}

static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t count = gemm_count(g, GEMM_C), most = LAB_STAGING_BYTES / sizeof(float);
    float *old = NULL; /* what C held before; wanted where something is wrong */
    size_t untouched = 0;
    struct lab_comparison comparison = {
        .rows = g->m,
        .columns = g->n,
        .tolerance = gemm_tolerance(p),
        .advice = {
            .of_unwritten = "does the grid cover the whole matrix, and does every thread reach its "
                            "store?",
            .of_nans = g->beta == 0.0f ? "NaN comes in by reading C, for beta is 0, past a matrix, "
                                         "or shared memory that nobody wrote"
                                       : "NaN comes in past a matrix, or by shared memory that "
                                         "nobody wrote",
            .of_most = "look at the indices of A and B, the loop over k, and alpha and beta",
            .of_special = "a NaN or an infinity of A or B must come through: no product may be "
                          "left out, and fminf() and fmaxf() drop a NaN",
            .term = fabs(g->alpha) / 4.0}};
    for (size_t first = 0; first < count; first += most) {
        const size_t piece = count - first < most ? count - first : most;
        cudaError_t status =
            cudaMemcpy(p->staging, g->c + first, piece * sizeof(float), cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        gemm_unspread(p, p->staging, first, piece);
        lab_compare(&comparison, gemm_state_of(p)->expected + first, p->staging, piece);
        if (g->beta != 0.0f && comparison.findings.pattern.wrong > 0 && !old)
            old = malloc(most * sizeof *old);
        if (old)
            untouched += count_untouched(p, first, piece, old);
    }
    free(old);
    if (untouched > 0 && untouched == comparison.findings.pattern.wrong)
        comparison.advice.cause =
            g->beta == 1.0f ? "each of these is what C held before: nobody has stored it, or its "
                              "sum of products "
                              "is 0"
                            : "each of these is what C held before, so that nobody has stored it: "
                              "does the grid "
                              "cover the whole matrix, and does every thread reach its store?";
    lab_compare_verdict(&comparison, "C", check);
    return cudaSuccess;
}

static const char *const test_options[] = {"--alpha -1.5 --beta 0.75", "--alpha 0 --beta 1",
                                           "--alpha 0.25 --beta 1", NULL};
static const char *const thorough[] = {"-m 1 --alpha 0",
                                       "-m 33 -n 65 -k 17 --alpha -1.5 --beta 0.75",
                                       "-m 1 -n 300 -k 5 --beta 1",
                                       "-m 300 -n 1 -k 129 --alpha 0 --beta -1",
                                       "-m 128 -n 132 -k 36 --values special",
                                       "-m 66 -n 68 -k 7 --alpha 0.25",
                                       "-m 70 -n 67 -k 64 --values spread --beta 2",
                                       "-m 65601 -n 3 -k 2",
                                       NULL};
extern const struct lab_study lab_gemm_study, lab_gemm_shapes_study;

/* All that the two have in common: they differ in how A is stored. */
#define GEMM_COMMON                                                                                \
    .type = "f32", .problem_bytes = sizeof(struct lab_gemm),                                       \
    .state_bytes = sizeof(struct gemm_state), .reference = "cublas", .uses_cublas = true,          \
    .look_at = "the last rows and columns", .of_blank = "with beta = 0, C holds nothing",          \
    .default_size = 4096, .test_sizes = lab_test_products, .test_options = test_options,           \
    .gpu_test_sizes = lab_gpu_test_products, .thorough = thorough, .arrays = arrays,               \
    .fill = gemm_fill, .make_reference = gemm_make_reference, .end = end, .facts = facts,          \
    .launch_library = gemm_launch_reference, .check_output = check_output,                         \
    .study = &lab_gemm_study, .kernel_study = &lab_gemm_shapes_study

const struct lab_family lab_gemm_family = {
    .options = &lab_gemm_options, .begin = begin, GEMM_COMMON};

const struct lab_family lab_gemm_tn_family = {
    .options = &lab_gemm_tn_options, .begin = begin_transposed, GEMM_COMMON};
