/* The list of the families' options, from families.def. */
#include "options/family.h"

#include <string.h>

#define LAB_FAMILY_LINE(name) extern const struct lab_family_options lab_##name##_options;
#include "families/families.def"
#undef LAB_FAMILY_LINE

#define LAB_FAMILY_LINE(name) &lab_##name##_options,
static const struct lab_family_options *const families[] = {
#include "families/families.def"
    NULL};

const struct lab_family_options *const *lab_families_options(void)
{
    return families;
}

const struct lab_family_options *lab_family_options_find(const char *name)
{
    for (int i = 0; families[i]; i++)
        if (strcmp(families[i]->name, name) == 0)
            return families[i];
    return NULL;
}
