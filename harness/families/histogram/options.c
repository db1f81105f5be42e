/* Options of family histogram. */
#include "families/histogram/options.h"

static const struct lab_option histogram_table[] = {
    {"keys", "mixed|runs|one",
     "the keys: half of them the same one, in no order, or each 48 times in a row, or a single one "
     "(mixed)",
     LAB_WORD(struct histogram_options, keys)},
    {0}};
static const struct histogram_options histogram_defaults = {.keys = HISTOGRAM_MIXED};

const struct lab_family_options lab_histogram_options = {
    .name = "histogram",
    .title = "histogram",
    .slice_size = 1 << 20,
    .heading = "Histograms of 256 bins",
    .sizes = {{'n', "the number of keys", 0}},
    .table = histogram_table,
    LAB_OWN(histogram_defaults),
};
