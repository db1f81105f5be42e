/* Options of family widest: a size alone. */
#include "options/family.h"

const struct lab_family_options lab_widest_options = {
    .name = "widest",
    .title = "widest",
    .heading = "Widest paths",
    .sizes = {{'n', "the number of vertices", 0}},
};
