/* Options of family transpose: sizes alone. */
#include "options/family.h"

const struct lab_family_options lab_transpose_options = {
    .name = "transpose",
    .title = "transpose",
    .heading = "Transposes, b[j][i] = a[i][j]",
    .sizes = {{'m', "rows of A", 0}, {'n', "columns of A; a single size stands for both", 0}},
    .alike = true,
};
