/* Family cauchy: v[i] = sum over j of w[j] / (1 + |a_i - b_j|^2 / (2 h^2)), in FP32: exercise 10.
 */
#include "families/pairwise/pairwise.h"

#include <math.h>

/* If x moves by e < 0.01, 1 / (1 + x) changes at most by the factor 1 / (1 - e), which is below
 * exp(1.01 e). An error of 4 u x in x changes the result by less than 4 u x of itself. */
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
    return pairwise_begin(p, options, size,
                          (struct pairwise_kernel){kernel, STEEPNESS, LOOK_AT, mistakes});
}

extern const struct lab_family_options lab_cauchy_options;

const struct lab_family lab_cauchy_family = {
    .options = &lab_cauchy_options, .begin = begin, PAIRWISE_COMMON};
