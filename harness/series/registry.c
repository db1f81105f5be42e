/* The series from steps/steps.def, the exercises from solutions/solutions.def, and suggestions for
 * mistyped names. */
#include "series/registry.h"

#include "base/spelling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAB_STEP(number, directory, family, size, title)                                           \
    {number, "step" number, directory, family, size, title, 0, 0},
#define LAB_STAGE(number, file, parent, arch, title)
#define LAB_STUDY(number, file)
#define LAB_EXERCISE(number, directory, parent, family, size, level, minutes, title)               \
    {number, "exercise" number, directory, family, size, title, level, minutes},
static const struct lab_registry_entry series[] = {
#include "../../steps/steps.def"
};
static const struct lab_registry_entry exercises[] = {
#include "../../solutions/solutions.def"
};
#undef LAB_STEP
#undef LAB_STAGE
#undef LAB_EXERCISE

#define LAB_STEP(number, directory, family, size, title)
#define LAB_STAGE(number, file, parent, arch, title)                                               \
    {number, "step" number, file, parent, arch, title},
#define LAB_EXERCISE(number, directory, parent, family, size, level, minutes, title)               \
    {number, "exercise" number, "kernel", parent, "", ""},
static const struct lab_stage stages[] = {
#include "../../steps/steps.def"
};
static const struct lab_stage exercise_stages[] = {
#include "../../solutions/solutions.def"
};
#undef LAB_STAGE
#undef LAB_STUDY
#undef LAB_EXERCISE

#define LAB_STAGE(number, file, parent, arch, title)
#define LAB_STUDY(number, file) {number, "step" number, file, "", "", ""},
static const struct lab_stage studies[] = {
#include "../../steps/steps.def"
};
#undef LAB_STEP
#undef LAB_STAGE
#undef LAB_STUDY

#define LAB_STEP(number, directory, family, size, title) "step" number,
#define LAB_STAGE(number, file, parent, arch, title)     "step" number,
#define LAB_STUDY(number, file)
#define LAB_EXERCISE(number, directory, parent, family, size, level, minutes, title)               \
    "exercise" number, "solution" number,
#define LAB_RUN_COMMAND(word, arguments, takes) word,
static const char *const names[] = {
#include "../../steps/steps.def"
#include "../../solutions/solutions.def"
#include "series/commands.def"
};
#undef LAB_RUN_COMMAND
#undef LAB_STEP
#undef LAB_STAGE
#undef LAB_STUDY
#undef LAB_EXERCISE

enum {
    SERIES_COUNT = sizeof series / sizeof series[0],
    EXERCISE_COUNT = sizeof exercises / sizeof exercises[0],
    STAGE_COUNT = sizeof stages / sizeof stages[0],
    STUDY_COUNT = sizeof studies / sizeof studies[0],
    NAME_COUNT = sizeof names / sizeof *names,
};

const struct lab_registry_entry *lab_registry(int *count)
{
    *count = SERIES_COUNT;
    return series;
}

const struct lab_registry_entry *lab_registry_exercises(int *count)
{
    *count = EXERCISE_COUNT;
    return exercises;
}

/* The part of `target` after `kind`; NULL: it does not begin with `kind`. */
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

/* Whether a stage belongs to a step: "08" and "08.2" are stages of step "08". */
static int is_of_step(const char *stage, const char *step)
{
    size_t length = strlen(step);
    return strncmp(stage, step, length) == 0 && (stage[length] == '\0' || stage[length] == '.');
}

const struct lab_stage *lab_registry_stages(const char *target, int *count)
{
    const char *number = number_in(target, "step");
    const struct lab_registry_entry *exercise = lab_registry_exercise(target);
    const struct lab_stage *first = exercise ? &exercise_stages[exercise - exercises] : NULL;
    *count = exercise != NULL;
    for (int i = 0; number && *number && i < STAGE_COUNT; i++)
        if (is_of_step(stages[i].number, number)) {
            first = first ? first : &stages[i];
            ++*count;
        }
    return first;
}

const struct lab_stage *lab_registry_stage(const char *number)
{
    for (int i = 0; i < STAGE_COUNT; i++)
        if (strcmp(stages[i].number, number) == 0)
            return &stages[i];
    return NULL;
}

const struct lab_stage *lab_registry_study(const char *target)
{
    const char *number = number_in(target, "step");
    for (int i = 0; number && i < STUDY_COUNT; i++)
        if (is_of_step(studies[i].number, number))
            return &studies[i];
    return NULL;
}

const struct lab_registry_entry *lab_registry_entry_of(const struct lab_stage *stage)
{
    if (stage >= exercise_stages && stage < exercise_stages + EXERCISE_COUNT)
        return &exercises[stage - exercise_stages];
    for (int i = 0; i < SERIES_COUNT; i++)
        if (is_of_step(stage->number, series[i].number))
            return &series[i];
    return NULL;
}

const struct lab_registry_entry *lab_registry_target(const char *target)
{
    int count;
    const struct lab_stage *stage = lab_registry_stages(target, &count);
    return stage ? lab_registry_entry_of(stage) : NULL;
}

const char *lab_registry_name(const char *target)
{
    for (int i = 0; i < STAGE_COUNT; i++)
        if (strcmp(stages[i].target, target) == 0)
            return stages[i].target;
    for (int i = 0; i < NAME_COUNT; i++)
        if (strcmp(names[i], target) == 0 && lab_registry_target(target))
            return names[i];
    return NULL;
}

const struct lab_stage *lab_registry_first_of(const char *family)
{
    for (int i = 0; i < STAGE_COUNT; i++)
        if (strcmp(lab_registry_entry_of(&stages[i])->family, family) == 0)
            return &stages[i];
    return NULL;
}

void lab_registry_object(const char *target, const struct lab_stage *stage, char *path, int size)
{
    size_t kind = strcspn(target, "0123456789");
    const char *many = strncmp(target, "step", kind) == 0 ? "s" : "";
    snprintf(path, (size_t)size, "%.*s%s/%s.so", (int)kind, target, many, stage->number);
}

void lab_registry_source(const char *target, const struct lab_stage *stage, char path[256])
{
    int kind = (int)strcspn(target, "0123456789");
    snprintf(path, 256, "%.*ss/%s/%s.cu", kind, target, lab_registry_entry_of(stage)->directory,
             stage->file);
}

bool lab_registry_knows(const char *word)
{
    for (int i = 0; i < NAME_COUNT; i++)
        if (strcmp(names[i], word) == 0)
            return true;
    return false;
}

/* The first target with the number that a word ends in, if the word's letters begin its kind: "ex1"
 * and "18" are exercises, "s7" is a step. NULL: none. */
static const char *by_number(const char *word)
{
    static const char *const kinds[] = {"step", "exercise", "solution"};
    const size_t letters = strcspn(word, "0123456789");
    const size_t digits = strspn(word + letters, "0123456789");
    char name[64];
    if (digits < 1 || digits > 2 || word[letters + digits] || letters >= sizeof name)
        return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strncmp(kinds[i], word, letters) != 0)
            continue;
        snprintf(name, sizeof name, "%s%02d", kinds[i], atoi(word + letters));
        if (lab_registry_name(name))
            return lab_registry_name(name);
    }
    return NULL;
}

/* The last target of a kind, if a higher number is asked for: "exercise18" for "exercise99". Else
 * NULL. */
static const char *last_before(const char *word)
{
    const size_t kind = strcspn(word, "0123456789");
    const char *last = NULL;
    if (kind == 0 || !word[kind] || word[kind + strspn(word + kind, "0123456789")])
        return NULL;
    for (int i = 0; i < NAME_COUNT; i++)
        if (strncmp(names[i], word, kind) == 0 && strspn(names[i] + kind, "0123456789") == 2 &&
            !names[i][kind + 2])
            last = names[i];
    return last && atoi(word + kind) > atoi(last + kind) ? last : NULL;
}

const char *lab_registry_suggest(const char *word, const char *kind)
{
    static char text[LAB_SPELLING_BYTES + 32];
    const char *const meant = *kind ? NULL : by_number(word);
    if (meant) {
        snprintf(text, sizeof text, "; did you mean '%s'?", meant);
        return text;
    }
    const char *const last = last_before(word);
    if (last) {
        snprintf(text, sizeof text, "; the last is '%s':", last);
        return text;
    }
    struct lab_spelling spelling = lab_spelling_of(word, (int)strlen(word));
    for (int i = 0; i < NAME_COUNT; i++)
        if (strncmp(names[i], kind, strlen(kind)) == 0)
            lab_spelling_try(&spelling, names[i]);
    /* With a number, it is clear enough which name was meant. */
    const bool has_number =
        strpbrk(word, "0123456789") && !strchr(word, '/') && !(word[0] >= '0' && word[0] <= '9');
    text[0] = '\0';
    if (has_number || lab_spelling_is_near(&spelling))
        snprintf(text, sizeof text, "; did you mean '%s'?", spelling.nearest);
    return text;
}
