/* The series, from steps/steps.def, the exercises, from solutions/solutions.def, and the nearest
 * name for a mistyped one. */
#include "series/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAB_STEP(number, directory, parent, family, size, title)                                   \
    {number, directory, parent, family, size, title},
static const struct lab_registry_entry series[] = {
#include "../../steps/steps.def"
};
static const struct lab_registry_entry exercises[] = {
#include "../../solutions/solutions.def"
};
#undef LAB_STEP

#define LAB_STEP(number, directory, parent, family, size, title) "step" number,
static const char *const names[] = {
#include "../../steps/steps.def"
#undef LAB_STEP
#define LAB_STEP(number, directory, parent, family, size, title)                                   \
    "exercise" number, "solution" number,
#include "../../solutions/solutions.def"
    "list", "compare", "sweep", "doctor", "hint", "watch", "grade"};
#undef LAB_STEP

enum {
    SERIES_COUNT = sizeof series / sizeof series[0],
    EXERCISE_COUNT = sizeof exercises / sizeof exercises[0],
    NAME_COUNT = sizeof names / sizeof *names,
};

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

const struct lab_registry_entry *lab_registry_exercises(int *count)
{
    *count = EXERCISE_COUNT;
    return exercises;
}

/* What follows `kind` in `target`; NULL when it begins otherwise. */
static const char *number_in(const char *target, const char *kind)
{
    return strncmp(target, kind, strlen(kind)) == 0 ? target + strlen(kind) : NULL;
}

const struct lab_registry_entry *lab_registry_exercise(const char *target)
{
    const char *number = number_in(target, "exercise");
    if (!number)
        number = number_in(target, "solution");
    for (int i = 0; number && i < EXERCISE_COUNT; i++)
        if (strcmp(exercises[i].number, number) == 0)
            return &exercises[i];
    return NULL;
}

const struct lab_registry_entry *lab_registry_exercise_meant(const char *word)
{
    char target[32], *end;
    const char *number = number_in(word, "exercise");
    long value = strtol(number ? number : word, &end, 10);
    if (*end || end == word || value < 1 || value > 99)
        return lab_registry_exercise(word);
    snprintf(target, sizeof target, "exercise%02ld", value);
    return lab_registry_exercise(target);
}

const struct lab_registry_entry *lab_registry_target(const char *target)
{
    const char *number = number_in(target, "step");
    return number ? lab_registry_find(number) : lab_registry_exercise(target);
}

void lab_registry_object(const char *target, char *path, int size)
{
    size_t kind = strcspn(target, "0123456789");
    const char *many = strncmp(target, "step", kind) == 0 ? "s" : "";
    snprintf(path, (size_t)size, "%.*s%s/%s.so", (int)kind, target, many, target + kind);
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
