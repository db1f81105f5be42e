/* Options of sums over pairs of points: bandwidth, place, weights. */
#include "families/pairwise/options.h"

#include "options/values.h"
#include "base/status.h"

#include <stdlib.h>

enum { OPTION_BANDWIDTH = 256, OPTION_OFFSET, OPTION_WEIGHTS };

#define WEIGHTS_WORDS "positive|mixed"

const struct argp_option pairwise_option_table[] = {
    {"bandwidth", OPTION_BANDWIDTH, "H", 0, "h of the Gaussian (1)", 0},
    {"offset", OPTION_OFFSET, "X", 0, "the unit cube of points begins here (0)", 0},
    {"weights", OPTION_WEIGHTS, WEIGHTS_WORDS, 0, "positive, or mixed signs and zeros (positive)",
     0},
    {0}};

const struct pairwise_options pairwise_defaults = {.bandwidth = 1.0f};

void pairwise_parse(int key, const char *text, void *own)
{
    struct pairwise_options *pairwise = own;
    if (key == OPTION_OFFSET) {
        pairwise->offset = lab_parse_scalar("offset", text);
    } else if (key == OPTION_WEIGHTS) {
        pairwise->weights = lab_parse_word("weights", text, WEIGHTS_WORDS);
    } else {
        pairwise->bandwidth = lab_parse_scalar("bandwidth", text);
        if (!(pairwise->bandwidth > 0.0f))
            exit(lab_complain(LAB_EXIT_USAGE,
                              "--bandwidth %s: a bandwidth is a float above 0, from 1e-45 to "
                              "3.4e38",
                              text));
    }
}

const struct lab_family_options lab_kernel_summation_options = {.name = "kernel_summation",
                                                                .title = "kernel summation",
                                                                .study = "microtiles",
                                                                .study_target = "step07.3",
                                                                PAIRWISE_OPTIONS};

const struct lab_family_options lab_cauchy_options = {
    .name = "cauchy", .title = "kernel summation, cauchy", PAIRWISE_OPTIONS};
