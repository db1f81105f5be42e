/* The list of steps and exercises, and the names that a user gives them. */
#include "series/registry.h"

#include "base/text.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the list ----------------------------------------------------------------------------------*/

/* The series from steps/steps.def, the exercises from solutions/solutions.def, and suggestions for
 * mistyped names. */

#define LAB_STEP(number, directory, family, size, title)                                           \
    {number, "step" number, NULL, directory, family, size, title, 0, 0},
#define LAB_STAGE(number, file, parent, arch, title)
#define LAB_STUDY(number, file)
#define LAB_EXERCISE(number, directory, parent, family, size, level, minutes, title, ...)          \
    {number, "exercise" number, "solution" number, directory, family, size, title, level, minutes},
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
#define LAB_EXERCISE(number, directory, parent, family, size, level, minutes, title, ...)          \
    {number, "exercise" number, "kernel", parent, "" __VA_ARGS__, ""},
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
#define LAB_EXERCISE(number, directory, parent, family, size, level, minutes, title, ...)          \
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

bool lab_registry_is_handout(void)
{
#ifdef LAB_IS_HANDOUT
    return true;
#else
    return false;
#endif
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

bool lab_registry_is_study(const struct lab_stage *stage)
{
    return stage >= studies && stage < studies + STUDY_COUNT;
}

const struct lab_stage *lab_registry_study_next(const struct lab_stage *file)
{
    const struct lab_stage *const next = file + 1;
    const size_t step = strcspn(file->number, ".") + 1; /* "09." of "09.report" */
    return lab_registry_is_study(next) && strncmp(next->number, file->number, step) == 0 ? next
                                                                                         : NULL;
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

/* The full name of a target, valid as long as the program runs; NULL: it names no target. */
static const char *name_of(const char *target)
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
        if (name_of(name))
            return name_of(name);
    }
    return NULL;
}

/* The last target of a kind, if a higher number is asked for: "exercise21" for "exercise99". Else
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

/* --- short names and paths ---------------------------------------------------------------------*/

/* What a user means by a short name or a path. The last names of a path are a kind, a number and
 * perhaps a kernel file, as in "steps/08_fusion/2_fused.cu". "step8" has both in one word. */

enum { MOST_NUMBER = 99, MOST_DIGITS = 3, PATH_BYTES = 512, TARGET_BYTES = 64 };

static const struct {
    const char *word, *folder;
} kinds[] = {{"step", "steps"}, {"exercise", "exercises"}, {"solution", "solutions"}};

enum { STEP, EXERCISE, SOLUTION, KINDS };

/* The number of the stage that a kernel file belongs to; without a file, of the first stage. NULL:
 * none. */
static const char *find_file(const struct lab_stage *stages, int count, const char *file)
{
    const size_t length = file ? strlen(file) - strlen(".cu") : 0;
    for (int i = 0; i < count; i++)
        if (!file ||
            (strlen(stages[i].file) == length && memcmp(stages[i].file, file, length) == 0))
            return stages[i].number;
    return NULL;
}

/* Finds "7", "8.2" or "07_float4" of a kind, with a kernel file of that folder; NULL: none. */
static const char *find(int kind, const char *text, const char *file)
{
    char target[TARGET_BYTES], *end;
    const size_t digits = strspn(text, "0123456789");
    const long number = strtol(text, &end, 10);
    const size_t more = strcspn(end, "_"); /* length of "a" in "00a_copy", of ".2" in "8.2" */
    const bool is_folder = end[more] == '_';
    int count;
    if (digits < 1 || digits > MOST_DIGITS || number > MOST_NUMBER || more > MOST_DIGITS)
        return NULL;
    snprintf(target, sizeof target, "%s%02ld%.*s", kinds[kind].word, number, (int)more, end);
    const struct lab_stage *stages = lab_registry_stages(target, &count);
    if (!stages || (is_folder && strcmp(lab_registry_entry_of(stages)->directory, text) != 0))
        return NULL;
    const char *stage = find_file(stages, count, file);
    if (file && stage && count > 1)
        snprintf(target, sizeof target, "%s%s", kinds[kind].word, stage);
    return stage ? name_of(target) : NULL;
}

/* Finds a text of any kind: after the kind's word, or alone. A folder's name may be a step's or an
 * exercise's. */
static const char *find_any(int alone, const char *text, const char *file)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (strncmp(text, kinds[kind].word, strlen(kinds[kind].word)) == 0)
            return find(kind, text + strlen(kinds[kind].word), file);
    const char *target = find(alone, text, file);
    if (!target && strchr(text, '_'))
        target = find(alone == STEP ? EXERCISE : STEP, text, file);
    return target;
}

static bool ends_in(const char *text, const char *end)
{
    return strlen(text) > strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* Finds a target by a word. A number without a kind is of kind `alone`. */
static const char *find_target(const char *word, int alone)
{
    char copy[PATH_BYTES], *rest;
    const char *last[3] = {"", "", ""}; /* folder, name, kernel file */
    if (strlen(word) >= sizeof copy)
        return NULL;
    strcpy(copy, word);
    for (char *part = strtok_r(copy, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        last[0] = last[1];
        last[1] = last[2];
        last[2] = part;
    }
    const char *file = ends_in(last[2], ".cu") ? last[2] : NULL;
    const char *name = last[file ? 1 : 2], *folder = last[file ? 0 : 1];
    for (int kind = 0; kind < KINDS; kind++)
        if (strcmp(folder, kinds[kind].folder) == 0)
            return find(kind, name, file);
    const bool is_here = !folder[0] || strcmp(folder, ".") == 0 || strcmp(folder, "..") == 0;
    return is_here ? find_any(alone, name, file) : NULL;
}

const char *lab_target_name(const char *word)
{
    return find_target(word, STEP);
}

const struct lab_registry_entry *lab_target_name_exercise(const char *word)
{
    const char *target = find_target(word, EXERCISE);
    return target ? lab_registry_exercise(target) : NULL;
}

int lab_target_name_no_exercise(const char *word)
{
    char name[TARGET_BYTES];
    snprintf(name, sizeof name, "%s%s", word[0] >= '0' && word[0] <= '9' ? "exercise" : "", word);
    const char *const suggestion = lab_registry_suggest(name, "exercise");
    return lab_complain(LAB_EXIT_USAGE, "no exercise '%s'%s `./run list` shows all", word,
                        *suggestion ? suggestion : ";");
}
