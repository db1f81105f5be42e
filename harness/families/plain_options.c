/* Options of the families that have sizes alone, or the shared --values, in the order of the
 * steps. */
#include "families/values.h"

#define VALUES                                                                                     \
    {                                                                                              \
        "values", "plain|large|small|special",                                                     \
            "values of the inputs: plain, all of them 2^100 times as large or as small, or "       \
            "special: with an infinity or a NaN (plain)",                                          \
            LAB_WORD(struct lab_values_options, values)                                            \
    }

const struct lab_option lab_values_table[] = {VALUES, {0}};

const struct lab_option lab_values_typed_table[] = {
    VALUES,
    {"type", "f64|f32", "type of the elements (f64)", LAB_WORD(struct lab_values_options, type)},
    {0}};

const struct lab_values_options lab_values_defaults = {.values = LAB_VALUES_PLAIN};

const struct lab_family_options lab_copy_options = {
    .name = "copy",
    .title = "copy",
    .heading = "Copies, to[i] = from[i]",
    .sizes = {{'n', "the number of elements", 0}},
    LAB_VALUES_OPTIONS,
};

const struct lab_family_options lab_transpose_options = {
    .name = "transpose",
    .title = "transpose",
    .heading = "Transposes, b[j][i] = a[i][j]",
    .sizes = {{'m', "rows of A", 0}, {'n', "columns of A; a single size stands for both", 0}},
    .alike = true,
    LAB_VALUES_OPTIONS,
};

const struct lab_family_options lab_reduction_options = {
    .name = "reduction",
    .title = "reduction",
    .slice_size = 1 << 20,
    .heading = "Sums of all elements",
    .sizes = {{'n', "the number of elements", 0}},
    LAB_VALUES_OPTIONS,
};

/* What the two families have in common. */
#define TRMM_OPTIONS                                                                               \
    .heading = "Triangular products, B = B + tri(A) B",                                            \
    .sizes = {{'n', "rows and columns of A, rows of B", 0},                                        \
              {'m', "columns of B; a single size stands for both", 0}},                            \
    .alike = true, .times_with_copies = true

const struct lab_family_options lab_trmm_options = {
    .name = "trmm", .title = "trmm", TRMM_OPTIONS, LAB_VALUES_TYPED, .study = "report"};

const struct lab_family_options lab_trmm_lower_options = {
    .name = "trmm_lower", .title = "trmm, lower", TRMM_OPTIONS, LAB_VALUES_OPTIONS};

const struct lab_family_options lab_syr2k_options = {
    .name = "syr2k",
    .title = "syr2k",
    .heading = "Symmetric products, C = (B A' + A B') / 2",
    .sizes = {{'n', "rows and columns of C, rows of A and B", 0},
              {'p', "A and B are n x p x q; a single size stands for all three", 0},
              {'q', "see -p", 0}},
    .alike = true,
    .times_with_copies = true,
    .study = "report",
    LAB_VALUES_TYPED,
};

const struct lab_family_options lab_widest_options = {
    .name = "widest",
    .title = "widest",
    .heading = "Widest paths",
    .sizes = {{'n', "the number of vertices", 0}},
    LAB_VALUES_OPTIONS,
};
