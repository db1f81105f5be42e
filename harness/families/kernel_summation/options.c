/* Options of family kernel summation. */
#include "families/pairwise/options.h"

const struct lab_family_options lab_kernel_summation_options = {.name = "kernel_summation",
                                                                .title = "kernel summation",
                                                                .has_study = true,
                                                                .study_target = "step07.3",
                                                                PAIRWISE_OPTIONS};
