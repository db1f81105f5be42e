/* Family reduction: the sum of n floats: the warm-up on threads that work together, step 00c and
 * exercise 00c. What is expected is summed on the host in double precision. */
#include "families/reduction.h"
#include "families/problem.h"
#include "families/reduction/explain.h"
#include "families/test_sizes.h"

#include "options/family.h"
#include "base/status.h"

#include <math.h>

extern const struct lab_family_options lab_reduction_options;

enum { X, SUM };

/* What the family keeps of a problem. */
struct reduction {
    double expected, tolerance;
};

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    struct lab_reduction *r = p->argument;
    r->n = lab_size_of(options, p->family->options, 'n', size);
    return LAB_EXIT_OK;
}

static int arrays(const void *argument, struct lab_array *list)
{
    const struct lab_reduction *r = argument;
    list[X] = LAB_ARRAY(struct lab_reduction, x, .name = "x", .role = LAB_ROLE_INPUT,
                        .count = (size_t)r->n);
    list[SUM] = LAB_ARRAY(struct lab_reduction, sum, .name = "sum", .role = LAB_ROLE_OUTPUT,
                          .count = 1, .blank = true);
    list[2] = LAB_ARRAY(struct lab_reduction, workspace, .role = LAB_ROLE_SCRATCH);
    return 3;
}

/*
 * The tolerance on |got - expected|; u = 2^-24. The sum may be taken in any order, one element
 * after the other, too. Elements have magnitude uniform in [1/2, 1) and random sign: the square of
 * one has mean 7/12, so a partial sum of j of them has standard deviation 0.76 sqrt(j). Each
 * addition rounds with an error of standard deviation below u |sum| / sqrt(3). Over n additions in
 * the worst order, one after another, that adds up to u / sqrt(3) * 0.76 * n / sqrt(2) = 0.31 u n,
 * and 6.1 standard deviations of it are 1.9 u n. We allow about twice: 4 u n. The other term covers
 * small n, where errors are not yet Gaussian. An element that is missing or doubled moves the sum
 * by at least 1/2, so it shows for every n below 2 million.
 */
static double tolerance_of(double n)
{
    return ldexp(4.0 * n + 16.0 * sqrt(n), -24);
}

static int make_reference(struct lab_problem *p)
{
    enum { PIECE = LAB_STAGING_BYTES / sizeof(float) };
    struct reduction *state = p->state;
    const size_t n = p->arrays[X].count;
    float *values = p->staging;
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t piece = n - first < PIECE ? n - first : PIECE;
        lab_problem_fill_numbers(p, X, values, first, piece);
        double sum = 0.0;
        for (size_t i = 0; i < piece; i++)
            sum += values[i];
        state->expected += sum;
    }
    state->tolerance = tolerance_of((double)n);
    return LAB_EXIT_OK;
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct lab_reduction *r = p->argument;
    /* bytes count: one addition for each 4 bytes is never the limit */
    *facts = (struct lab_problem_facts){
        .sizes = {{"n", r->n}}, .size_count = 1, .bytes = 4.0 * (r->n + 1.0)};
}

static bool are_left_out(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_problem *const p = e->advice->family;
    const struct reduction *state = p->state;
    const double got = e->mismatches->first.got;
    const size_t n = p->arrays[X].count;
    int sms = 0;
    if (!isfinite(got) || n > LAB_STAGING_BYTES / sizeof(float) ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) != cudaSuccess)
        return false;
    lab_problem_fill_numbers(p, X, p->staging, 0, n);
    return reduction_explain(p->staging, n, sms, state->expected, got, state->tolerance, text,
                             size);
}

static const struct lab_hypothesis hypotheses[] = {
    {"elements left out", are_left_out, LAB_CAUSE_SUSPECTED, LAB_PLACE_INSTEAD, false},
    {.name = NULL},
};

/* With fewer than 32 warps, a last warp's 32 lanes may add each part several times. */
static const char *of_several(double times)
{
    return times == 2.0 || times == 4.0
               ? "in the sum over warps, does a lane without a part of its own add another's, "
                 "where "
                 "it must add 0, or does a shuffle by 32, more than a warp has, give each lane its "
                 "own value once more? The first of a warp's levels is 16 apart"
           : times == 8.0 || times == 16.0 ? "in the sum over warps, does a lane without a part of "
                                             "its own add another's, where "
                                             "it must add 0?"
           : times >= 32.0 ? "does a shuffle by 32 lanes or more, which a warp has not, give each "
                             "lane its own value once more? The first of a warp's levels is 16 "
                             "apart"
                           : NULL;
}

static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct reduction *state = p->state;
    const float expected = (float)state->expected;
    float got;
    const struct lab_advice advice = {
        .of_unwritten = "does the sum reach memory, and is the memory that it is added to cleared "
                        "before?",
        .of_nans = "NaN comes in by adding to memory that nobody cleared, by reading past the "
                   "array, or shared memory that nobody wrote",
        .nans_are_of_memory = true,
        .of_most = "is every element added, and only once? Look at the last elements and at the "
                   "last levels of the tree",
        .of_several = of_several,
        .term = 0.5,
        .hypotheses = hypotheses,
        .family = p};
    struct lab_comparison comparison = {
        .rows = 1, .columns = 1, .is_one = true, .tolerance = state->tolerance};
    cudaError_t status = cudaMemcpy(&got, p->buffers[SUM].data, sizeof got, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    lab_compare(&comparison, &expected, &got, 1);
    lab_compare_verdict(&comparison, "sum", &advice, check);
    return cudaSuccess;
}

const struct lab_family lab_reduction_family = {
    .options = &lab_reduction_options,
    .problem_bytes = sizeof(struct lab_reduction),
    .state_bytes = sizeof(struct reduction),
    .type = "f32",
    .reference = "",
    .reference_in_step = true,
    .look_at = "the last elements",
    .default_size = 1 << 26,
    .test_sizes = lab_test_lengths,
    .gpu_test_sizes = lab_gpu_test_lengths,
    .thorough = lab_thorough_lengths,
    .begin = begin,
    .arrays = arrays,
    .fill = lab_problem_fill_numbers,
    .make_reference = make_reference,
    .facts = facts,
    .check_output = check_output,
};
