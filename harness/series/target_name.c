/* What a user means by a short name or a path. The last names of a path are a kind, a number and
 * perhaps a kernel file, as in "steps/08_fusion/2_fused.cu". "step8" has both in one word. */
#include "series/target_name.h"

#include "series/registry.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    return stage ? lab_registry_name(target) : NULL;
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
