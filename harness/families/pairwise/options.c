/* Options of sums over pairs of points: bandwidth, place, weights. */
#include "families/pairwise/pairwise.h"

#include "base/status.h"

#include <stdlib.h>

const struct lab_option pairwise_option_table[] = {
    {"bandwidth", "H", "h of the Gaussian (1)", LAB_SCALAR(struct pairwise_options, bandwidth)},
    {"offset", "X", "the unit cube of points begins here (0)",
     LAB_SCALAR(struct pairwise_options, offset)},
    {"weights", "positive|mixed", "positive, or mixed signs and zeros (positive)",
     LAB_WORD(struct pairwise_options, weights)},
    {0}};

const struct pairwise_options pairwise_defaults = {.bandwidth = 1.0f};

void pairwise_follow(const char *name, const char *text, void *own)
{
    (void)name;
    if (!(((struct pairwise_options *)own)->bandwidth > 0.0f))
        exit(lab_complain(LAB_EXIT_USAGE,
                          "--bandwidth %s: a bandwidth is a float above 0, from 1e-45 to 3.4e38",
                          text));
}

const struct lab_family_options lab_kernel_summation_options = {.name = "kernel_summation",
                                                                .title = "kernel summation",
                                                                .study = "microtiles",
                                                                .plan = "fusions",
                                                                .study_target = "step07.3",
                                                                PAIRWISE_OPTIONS};

const struct lab_family_options lab_cauchy_options = {
    .name = "cauchy", .title = "kernel summation, cauchy", PAIRWISE_OPTIONS};
