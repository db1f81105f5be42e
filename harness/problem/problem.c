/* The list of families, from families.def, and the rows of a step. */
#include "problem/problem.h"

#include <string.h>

#define LAB_FAMILY_LINE(name) extern const struct lab_family lab_##name##_family;
#include "problem/families.def"
#undef LAB_FAMILY_LINE

#define LAB_FAMILY_LINE(name) &lab_##name##_family,
static const struct lab_family *const families[] = {
#include "problem/families.def"
};

const struct lab_family *lab_family_find(const char *name)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i]->name, name) == 0)
            return families[i];
    return NULL;
}

const struct lab_step_row *lab_row_of(const struct lab_step *step, int row)
{
    return &step->rows[row & ~LAB_DETERMINISTIC_FORM];
}
