/* The list of families, from families.def, and the rows of a step. */
#include "families/family.h"

#include <stdio.h>
#include <string.h>

#define LAB_FAMILY_LINE(name) extern const struct lab_family lab_##name##_family;
#include "families/families.def"
#undef LAB_FAMILY_LINE

#define LAB_FAMILY_LINE(name) &lab_##name##_family,
static const struct lab_family *const families[] = {
#include "families/families.def"
};

const struct lab_family *lab_family_find(const char *name)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i]->options->name, name) == 0)
            return families[i];
    return NULL;
}

static int length(const char *const *list)
{
    int count = 0;
    while (list && list[count])
        count++;
    return count;
}

bool lab_family_test(const struct lab_family *family, int number, bool on_gpu, char *text,
                     size_t size)
{
    const int sizes = length(family->test_sizes), options = length(family->test_options);
    const int tried = !options ? 0 : on_gpu && family->test_all_options ? options : 1;
    const int turn = number / (1 + tried), which = number % (1 + tried) - 1;
    if (turn < sizes) {
        const char *option =
            which < 0 ? "" : family->test_options[tried == 1 ? turn % options : which];
        snprintf(text, size, "%s%s%s", family->test_sizes[turn], *option ? " " : "", option);
        return true;
    }
    number -= sizes * (1 + tried);
    if (!on_gpu || number >= length(family->gpu_test_sizes))
        return false;
    snprintf(text, size, "%s", family->gpu_test_sizes[number]);
    return true;
}

bool lab_family_form_test(const struct lab_family *family, int number, char *text, size_t size)
{
    const int sizes = length(family->test_form_sizes);
    if (number >= sizes * length(family->test_forms))
        return false;
    snprintf(text, size, "%s %s", family->test_form_sizes[number % sizes],
             family->test_forms[number / sizes]);
    return true;
}

const struct lab_variant *lab_variant_of(const struct lab_step *step, int variant)
{
    return &step->variants[variant & ~LAB_DETERMINISTIC_FORM];
}
