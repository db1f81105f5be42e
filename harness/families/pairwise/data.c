/* Data of sums over pairs of points: points, weights, operations. */
#include "families/pairwise/pairwise.h"

#include "families/inputs.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

enum { ZERO_EVERY = 5 };

int pairwise_begin(struct lab_problem *p, const struct lab_options *options, int size,
                   struct pairwise_kernel kernel)
{
    const struct lab_family_options *family = p->family->options;
    const struct pairwise_options *own = lab_own_options(options, family);
    struct pairwise_state *s = p->state;
    *s = (struct pairwise_state){.m = lab_size_of(options, family, 'm', size),
                                 .n = lab_size_of(options, family, 'n', size),
                                 .k = lab_size_of(options, family, 'k', size),
                                 .h = own->bandwidth,
                                 .offset = own->offset,
                                 .weights = own->weights,
                                 .kernel = kernel};
    lab_cublas_begin(&s->cublas);
    *(struct lab_kernel_summation *)p->argument = (struct lab_kernel_summation){
        .m = s->m, .n = s->n, .k = s->k, .h = s->h, .library = &s->cublas.library};
    return LAB_EXIT_OK;
}

int pairwise_arrays(const void *argument, struct lab_array *list)
{
    const struct lab_kernel_summation *v = argument;
    const size_t m = (size_t)v->m, n = (size_t)v->n, k = (size_t)v->k;
    list[PAIRWISE_A] = LAB_ARRAY(struct lab_kernel_summation, a, .name = "A",
                                 .role = LAB_ROLE_INPUT, .count = m * k, .row = k);
    list[PAIRWISE_B] = LAB_ARRAY(struct lab_kernel_summation, b, .name = "B",
                                 .role = LAB_ROLE_INPUT, .count = n * k, .row = k);
    list[PAIRWISE_W] =
        LAB_ARRAY(struct lab_kernel_summation, w, .name = "W", .role = LAB_ROLE_INPUT, .count = n);
    list[PAIRWISE_V] = LAB_ARRAY(struct lab_kernel_summation, v, .name = "V",
                                 .role = LAB_ROLE_OUTPUT, .count = m, .blank = true);
    list[4] = LAB_ARRAY(struct lab_kernel_summation, workspace, .role = LAB_ROLE_SCRATCH);
    return 5;
}

void pairwise_for_variant(void *argument, int variant)
{
    struct lab_kernel_summation *v = argument;
    v->deterministic = (variant & LAB_DETERMINISTIC_FORM) != 0;
}

void pairwise_end(struct lab_problem *p)
{
    free(pairwise_of(p)->expected);
    free(pairwise_of(p)->got);
}

/* Points are uniform in the unit cube, moved by the offset. Weights are in [1/2, 1), so that a
 * missing one is noticed. Mixed weights have random signs, and every fifth is 0. */
void pairwise_fill(const struct lab_problem *p, int which, void *to, size_t first, size_t count)
{
    const struct pairwise_state *s = p->state;
    float *values = to;
    lab_inputs_fill(values, first, count, lab_inputs_seed(p->options->problem.seed, which));
    for (size_t i = 0; i < count; i++)
        if (which != PAIRWISE_W)
            values[i] = 2.0f * fabsf(values[i]) - 1.0f + s->offset;
        else if (s->weights != PAIRWISE_WEIGHTS_MIXED)
            values[i] = fabsf(values[i]);
        else if ((first + i) % ZERO_EVERY == ZERO_EVERY - 1)
            values[i] = 0.0f;
}

void pairwise_prepare(struct lab_problem *p)
{
    pairwise_of(p)->cublas.handle = p->cublas;
    pairwise_of(p)->cublas.calls = 0;
}

bool pairwise_used_library(const struct lab_problem *p)
{
    return pairwise_of(p)->cublas.calls > 0;
}

/* The one place that says what counts as an operation. A pair of points takes 2 K for the product
 * and 7 for the evaluation: the norms' sum (1), minus twice the product (2), the scale (1), the
 * exponential (1), times the weight and added (2). A point takes 2 K for its norm. The paper gives
 * GFLOPS as nvprof counts executed operations. For its kernels that is the same, except that nvprof
 * counts each of the several instructions of an exponential. */
static double operations(const struct pairwise_state *s)
{
    double pairs = (double)s->m * s->n;
    return pairs * (2.0 * s->k + 7.0) + 2.0 * s->k * ((double)s->m + s->n);
}

/* A tolerance of this much checks nothing. */
static const double LOOSE = 0.5;

void pairwise_facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct pairwise_state *s = p->state;
    const double points = (double)s->m + s->n;
    *facts = (struct lab_problem_facts){
        .sizes = {{"m", s->m}, {"n", s->n}, {"k", s->k}},
        .size_count = 3,
        .factors = {{"h", s->h}, {"offset", s->offset}},
        .factor_count = s->offset != 0.0f ? 2 : 1,
        .flops = operations(s),
        .bytes = 4.0 * (points * s->k + points),
        .note = s->tolerance > LOOSE ? "so far from the origin, FP32 leaves no digit of the "
                                       "distances at this bandwidth: any result passes"
                                     : NULL,
    };
}

/* Tiny and huge bandwidths, and points far from the origin. */
const char *const pairwise_test_options[] = {"--weights mixed --deterministic", "--bandwidth 0.3",
                                             "--offset 100 --bandwidth 20", NULL};
const char *const pairwise_thorough[] = {"-m 1",
                                         "-m 33 -n 301 -k 17 --weights mixed --deterministic",
                                         "-m 1 -n 300 -k 5",
                                         "-m 300 -n 1 -k 129",
                                         "-m 128 -n 132 -k 36 --bandwidth 0.3",
                                         "-m 66 -n 68 -k 7 --offset 100 --bandwidth 20",
                                         "-m 70 -n 300 -k 1 --offset 3000 --bandwidth 1e-30",
                                         "-m 65601 -n 3 -k 2",
                                         "-m 33 -n 64 -k 8 --bandwidth 0.5",
                                         NULL};
const char *const pairwise_gpu_test_sizes[] = {
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
