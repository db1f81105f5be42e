/* Family kernel summation: V = K W with K(i, j) = exp(-|a_i - b_j|^2 / (2 h^2)), in FP32. The
 * reference is a variant of the step itself, cublas_unfused, since cuBLAS has no such call. */
#include "families/kernel_summation.h"
#include "families/pairwise/pairwise.h"

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
    return pairwise_begin(p, options, size,
                          (struct pairwise_kernel){kernel, STEEPNESS, LOOK_AT, mistakes});
}

extern const struct lab_family_options lab_kernel_summation_options;

/* A tiny bandwidth tries the range of h squared, and distances that round to below 0. */
static const char *vary(struct lab_options *options)
{
    const struct pairwise_options *own = lab_own_options(options, &lab_kernel_summation_options);
    if (own->bandwidth != 1.0f)
        return NULL;
    lab_give_own_option(options, &lab_kernel_summation_options, "bandwidth", "1e-30");
    return "where the bandwidth is tiny (--bandwidth 1e-30)";
}

const struct lab_family lab_kernel_summation_family = {
    .options = &lab_kernel_summation_options, .begin = begin, .vary = vary, PAIRWISE_COMMON};
