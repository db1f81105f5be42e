/* Options of family reduction: a size alone. */
#include "options/family.h"

const struct lab_family_options lab_reduction_options = {
    .name = "reduction",
    .title = "reduction",
    .slice_size = 1 << 20,
    .heading = "Sums of all elements",
    .sizes = {{'n', "the number of elements", 0}},
};
