/* Reads the comments of a study's program; harness/studies/README.md says what they mean. */
#include "run/study.h"

#include "base/files.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(const char *path)
{
    FILE *const stream = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (stream && getdelim(&text, &room, '\0', stream) < 0) {
        free(text);
        text = NULL;
    }
    if (stream)
        fclose(stream);
    return text;
}

/* The word without its conditions, as in "sim:n=512"; NULL: one of them does not hold. */
static char *if_it_holds(char *word, const char *runtime, const char *family)
{
    for (char *colon; (colon = strchr(word, ':')); word = colon + 1) {
        *colon = '\0';
        if (strcmp(word, runtime) != 0 && strcmp(word, family) != 0)
            return NULL;
    }
    return word;
}

/* False: it has too many values. */
static bool read_word(char *text, struct lab_study_word *word)
{
    char *value = strchr(text, '=');
    *word = (struct lab_study_word){.name = text, .values = {""}, .value_count = !value};
    if (value)
        *value++ = '\0';
    for (; value && word->value_count < LAB_STUDY_VALUES; word->value_count++) {
        word->values[word->value_count] = value;
        if ((value = strchr(value, '/')))
            *value++ = '\0';
    }
    return !value;
}

static bool read_line(char *line, const char *runtime, const char *family,
                      struct lab_study_file *file)
{
    struct lab_study_line *read = &file->lines[file->line_count];
    bool is_of_own_kernels = false;
    char *rest, *word = strtok_r(line, " ", &rest);
    if (file->line_count == LAB_STUDY_LINES)
        return false;
    *read = (struct lab_study_line){.shows = strcmp(word, "#show") == 0};
    while ((word = strtok_r(NULL, " ", &rest))) {
        word = if_it_holds(word, runtime, family);
        if (word && (read->word_count == LAB_STUDY_WORDS ||
                     !read_word(word, &read->words[read->word_count++])))
            return false;
        is_of_own_kernels = is_of_own_kernels || (word && strcmp(word, "study") == 0);
    }
    file->is_of_own_kernels = file->is_of_own_kernels && (read->shows || is_of_own_kernels);
    file->line_count++;
    return true;
}

bool lab_study_file_read(const char *name, bool is_sim, const char *family,
                         struct lab_study_file *file)
{
    char root[LAB_PATH_BYTES], path[LAB_PATH_BYTES + 64], *rest;
    bool is_right = true;
    lab_root(root);
    snprintf(path, sizeof path, "%s/harness/studies/%s.awk", root, name);
    *file =
        (struct lab_study_file){.name = name, .is_of_own_kernels = true, .text = read_all(path)};
    for (char *line = file->text ? strtok_r(file->text, "\n", &rest) : NULL; line && is_right;
         line = strtok_r(NULL, "\n", &rest)) {
        sscanf(line, "#uses %63[^\n]", file->uses);
        file->has_plots = file->has_plots || strcmp(line, "#plots") == 0;
        file->has_more = file->has_more || strcmp(line, "#more") == 0;
        if (strncmp(line, "#run", 4) == 0 || strncmp(line, "#show ", 6) == 0)
            is_right = read_line(line, is_sim ? "sim" : "gpu", family, file);
    }
    if (file->line_count == 0 || !is_right) {
        lab_complain(LAB_EXIT_MISSING, "%s: %s", path,
                     is_right ? "no study is there" : "more runs, or words of one, than fit");
        free(file->text);
        return false;
    }
    return true;
}

void lab_study_file_release(struct lab_study_file *file)
{
    free(file->text);
}
