/* Family kernel summation: V = K W with K(i, j) = exp(-|a_i - b_j|^2 / (2 h^2)), in FP32. What it
 * is compared with is a row of the step itself, cublas_unfused, since cuBLAS has no such call. */
#include "families/kernel_summation.h"
#include "families/pairwise/pairwise.h"
#include "families/test_sizes.h"

#include <math.h>

static const double STEEPNESS = 1.0;

static const char LOOK_AT[] = "look at the exponent, the loop over k, and which targets each sum "
                              "takes in";

static double kernel(double x)
{
    return exp(-x);
}

static double grows(double x)
{
    return exp(x);
}
static double base_two(double x)
{
    return exp2(-x);
}
static double no_exponential(double x)
{
    return x;
}
static double one(double x)
{
    (void)x;
    return 1.0;
}

static const struct pairwise_mistake mistakes[] = {
    {.value = grows, .text = "the exponent had no minus"},
    {.value = base_two,
     .text = "2 stood in place of e below the exponent: exp2f() needs a factor of log2(e)"},
    {.value = no_exponential, .text = "the exponential were left out"},
    {.value = one,
     .text =
         "|a - b|^2 / (2 h^2) were 0: is the factor 0, as 1 / 2 of ints is, or are shares of the "
         "distance assigned in place of added, of which the last one is 0"},
    {.value = NULL}};

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    struct lab_kernel_summation *v = p->argument;
    struct pairwise_state *s = p->state;
    int status = pairwise_begin(p, options, size,
                                (struct pairwise_kernel){kernel, STEEPNESS, LOOK_AT, mistakes});
    *v = (struct lab_kernel_summation){
        .m = s->m, .n = s->n, .k = s->k, .h = s->h, .library = &s->cublas.library};
    return status;
}

static int arrays(const void *argument, struct lab_array *list)
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

static void for_row(void *argument, int row)
{
    struct lab_kernel_summation *v = argument;
    v->deterministic = (row & LAB_DETERMINISTIC_FORM) != 0;
}

extern const struct lab_family_options lab_kernel_summation_options;
extern const struct lab_study lab_kernel_summation_study;

/* What h squared is good for, and a distance that is rounded to below 0. */
static const char *vary(struct lab_options *options)
{
    const struct pairwise_options *own = lab_own_options(options, &lab_kernel_summation_options);
    if (own->bandwidth != 1.0f)
        return NULL;
    lab_give_own_option(options, &lab_kernel_summation_options, "bandwidth", "1e-30");
    return "where the bandwidth is tiny (--bandwidth 1e-30)";
}

const struct lab_family lab_kernel_summation_family = {
    .options = &lab_kernel_summation_options,
    .problem_bytes = sizeof(struct lab_kernel_summation),
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
    .vary = vary,
    .make_reference = pairwise_make_reference,
    .end = pairwise_end,
    .facts = pairwise_facts,
    .for_row = for_row,
    .prepare = pairwise_prepare,
    .used_library = pairwise_used_library,
    .study = &lab_kernel_summation_study,
    .kernel_studies = (const struct lab_study *const[]){&lab_kernel_summation_study, NULL},
    .check_output = pairwise_check_output,
};
