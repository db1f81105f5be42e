/* Options of families trmm and trmm_lower: sizes alone. */
#include "options/family.h"

/* All that the two have in common. */
#define TRMM_OPTIONS                                                                               \
    .heading = "Triangular products, B = B + tri(A) B",                                            \
    .sizes = {{'n', "rows and columns of A, rows of B", 0},                                        \
              {'m', "columns of B; a single size stands for both", 0}},                            \
    .alike = true, .times_with_copies = true

const struct lab_family_options lab_trmm_options = {
    .name = "trmm", .title = "trmm", TRMM_OPTIONS, .has_study = true};

const struct lab_family_options lab_trmm_lower_options = {
    .name = "trmm_lower", .title = "trmm, lower", TRMM_OPTIONS};
