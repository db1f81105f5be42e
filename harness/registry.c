/* The series, from steps/steps.def, and the nearest name for a mistyped one. */
#include "registry.h"

#include <stdio.h>
#include <string.h>

#define LAB_STEP(number, directory, parent, family, size, title)                                   \
    {number, directory, parent, family, size, title},
static const struct lab_registry_entry series[] = {
#include "../steps/steps.def"
};
#undef LAB_STEP

#define LAB_STEP(number, directory, parent, family, size, title) "step" number,
static const char *const names[] = {
#include "../steps/steps.def"
    "list", "compare", "sweep", "doctor"};
#undef LAB_STEP

enum { SERIES_COUNT = sizeof series / sizeof series[0], NAME_COUNT = sizeof names / sizeof *names };

const struct lab_registry_entry *lab_registry(int *count)
{
    *count = SERIES_COUNT;
    return series;
}

const struct lab_registry_entry *lab_registry_find(const char *number)
{
    for (int i = 0; i < SERIES_COUNT; i++)
        if (strcmp(series[i].number, number) == 0)
            return &series[i];
    return NULL;
}

const struct lab_registry_entry *lab_registry_target(const char *target)
{
    return strncmp(target, "step", 4) == 0 ? lab_registry_find(target + 4) : NULL;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Levenshtein distance over at most the first 31 characters; enough to find a typing slip. */
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    int length_b = (int)strnlen(b, LONGEST), row[LONGEST + 1];
    for (int j = 0; j <= length_b; j++)
        row[j] = j;
    for (int i = 1; a[i - 1] && i <= LONGEST; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= length_b; j++) {
            int above = row[j];
            int changed = diagonal + (a[i - 1] != b[j - 1]);
            row[j] = least(changed, 1 + least(above, row[j - 1]));
            diagonal = above;
        }
    }
    return row[length_b];
}

const char *lab_registry_nearest(const char *name)
{
    const char *best = names[0];
    for (int i = 1; i < NAME_COUNT; i++)
        if (distance(name, names[i]) < distance(name, best))
            best = names[i];
    return best;
}
