/* Options of family histogram: a size alone. */
#include "options/family.h"

const struct lab_family_options lab_histogram_options = {
    .name = "histogram",
    .title = "histogram",
    .slice_size = 1 << 20,
    .heading = "Histograms of 256 bins",
    .sizes = {{'n', "the number of keys", 0}},
};
