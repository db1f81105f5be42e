/* Options of family syr2k: sizes alone. */
#include "options/family.h"

const struct lab_family_options lab_syr2k_options = {
    .name = "syr2k",
    .title = "syr2k",
    .heading = "Symmetric products, C = (B A' + A B') / 2",
    .sizes = {{'n', "rows and columns of C, rows of A and B", 0},
              {'p', "A and B are n x p x q; a single size stands for all three", 0},
              {'q', "see -p", 0}},
    .alike = true,
    .times_with_copies = true,
    .has_study = true,
};
