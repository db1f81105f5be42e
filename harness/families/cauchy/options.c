/* Options of family cauchy. */
#include "families/pairwise/options.h"

const struct lab_family_options lab_cauchy_options = {
    .name = "cauchy", .title = "kernel summation, cauchy", PAIRWISE_OPTIONS};
