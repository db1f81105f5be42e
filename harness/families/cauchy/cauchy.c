/* Family cauchy: v[i] = sum over j of w[j] / (1 + |a_i - b_j|^2 / (2 h^2)), in FP32: exercise 10.
 */
#include "families/cauchy.h"
#include "families/pairwise/pairwise.h"
#include "families/test_sizes.h"

#include <math.h>

/* Moved by e, 1 / (1 + x) changes by the factor 1 / (1 - e) at most, which is below exp(1.01 e) for
 * an e below 0.01; and an error of 4 u x in x moves it by less than 4 u x of itself. */
static const double STEEPNESS = 1.01;

static const char LOOK_AT[] = "look at the quotient, the loop over k, and which targets each sum "
                              "takes in";

static double kernel(double x)
{
    return 1.0 / (1.0 + x);
}

static double without_one(double x)
{
    return 1.0 / x;
}
static double subtracted(double x)
{
    return 1.0 / (1.0 - x);
}
static double multiplied(double x)
{
    return 1.0 + x;
}
static double product_alone(double x)
{
    return x;
}
static double gaussian(double x)
{
    return exp(-x);
}
static double one(double x)
{
    (void)x;
    return 1.0;
}

static const struct pairwise_mistake mistakes[] = {
    {.value = without_one, .text = "the 1 of 1 + x were left out, where x = |a - b|^2 / (2 h^2)"},
    {.value = subtracted, .text = "1 - x stood in place of 1 + x, where x = |a - b|^2 / (2 h^2)"},
    {.value = multiplied,
     .text = "w were multiplied by 1 + x in place of divided, where x = |a - b|^2 / (2 h^2)"},
    {.value = product_alone,
     .text = "w were multiplied by x = |a - b|^2 / (2 h^2) in place of divided by 1 + x"},
    {.value = gaussian, .text = "the kernel function were exp(-x), not 1 / (1 + x)"},
    {.value = one,
     .text =
         "|a - b|^2 / (2 h^2) were 0: is the factor 0, as 1 / 2 of ints is, or are shares of the "
         "distance assigned in place of added, of which the last one is 0"},
    {.value = product_alone,
     .text = "w + x were added, where x = |a - b|^2 / (2 h^2): w / 1 + x is (w / 1) + x, so "
             "that 1 + x needs parentheses",
     .adds_weight = true},
    {.value = NULL}};

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    lab_cauchy_problem *v = p->argument;
    struct pairwise_state *s = p->state;
    int status = pairwise_begin(p, options, size,
                                (struct pairwise_kernel){kernel, STEEPNESS, LOOK_AT, mistakes});
    *v = (lab_cauchy_problem){
        .m = s->m, .n = s->n, .k = s->k, .h = s->h, .library = &s->cublas.library};
    return status;
}

static int arrays(const void *argument, struct lab_array *list)
{
    const lab_cauchy_problem *v = argument;
    const size_t m = (size_t)v->m, n = (size_t)v->n, k = (size_t)v->k;
    list[PAIRWISE_A] = LAB_ARRAY(lab_cauchy_problem, a, .name = "A", .role = LAB_ROLE_INPUT,
                                 .count = m * k, .row = k);
    list[PAIRWISE_B] = LAB_ARRAY(lab_cauchy_problem, b, .name = "B", .role = LAB_ROLE_INPUT,
                                 .count = n * k, .row = k);
    list[PAIRWISE_W] =
        LAB_ARRAY(lab_cauchy_problem, w, .name = "W", .role = LAB_ROLE_INPUT, .count = n);
    list[PAIRWISE_V] = LAB_ARRAY(lab_cauchy_problem, v, .name = "V", .role = LAB_ROLE_OUTPUT,
                                 .count = m, .blank = true);
    list[4] = LAB_ARRAY(lab_cauchy_problem, workspace, .role = LAB_ROLE_SCRATCH);
    return 5;
}

static void for_row(void *argument, int row)
{
    lab_cauchy_problem *v = argument;
    v->deterministic = (row & LAB_DETERMINISTIC_FORM) != 0;
}

extern const struct lab_family_options lab_cauchy_options;

const struct lab_family lab_cauchy_family = {
    .options = &lab_cauchy_options,
    .problem_bytes = sizeof(lab_cauchy_problem),
    .state_bytes = sizeof(struct pairwise_state),
    .type = "f32",
    .reference = "cublas_unfused",
    .reference_in_step = true,
    .uses_cublas = true,
    .look_at = "the last tiles",
    .default_size = 131072,
    .simulated = 1.8e9,
    .test_sizes = lab_test_products,
    .test_options = pairwise_test_options,
    .gpu_test_sizes = pairwise_gpu_test_sizes,
    .thorough = pairwise_thorough,
    .begin = begin,
    .arrays = arrays,
    .fill = pairwise_fill,
    .make_reference = pairwise_make_reference,
    .end = pairwise_end,
    .facts = pairwise_facts,
    .for_row = for_row,
    .prepare = pairwise_prepare,
    .used_library = pairwise_used_library,
    .check_output = pairwise_check_output,
};
