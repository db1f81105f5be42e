/* Options of family copy: a size alone. */
#include "options/family.h"

const struct lab_family_options lab_copy_options = {
    .name = "copy",
    .title = "copy",
    .heading = "Copies, to[i] = from[i]",
    .sizes = {{'n', "the number of elements", 0}},
};
