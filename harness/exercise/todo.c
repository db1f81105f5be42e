/* The solution says what stands in for each of its parts (stub.awk). A part is untouched while
 * these lines, and the line after them, are still together; wrong elements are then nobody's
 * mistake. A part with no such lines is found by its TODO alone. */
#include "exercise/todo.h"

#include "base/files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 600, LINE_BYTES = 200 };

/* The lines of a file without spaces at their ends; blank lines are left out. */
struct file {
    char lines[MOST_LINES][LINE_BYTES];
    int numbers[MOST_LINES];
    int count;
};

/* What follows a word that a line begins with; NULL: the line does not begin with it. */
static const char *behind(const char *line, const char *word)
{
    line += strspn(line, " ");
    return strncmp(line, word, strlen(word)) == 0 ? line + strlen(word) : NULL;
}

static bool read_file(const char *path, struct file *file)
{
    char line[2 * LINE_BYTES];
    FILE *stream = fopen(path, "r");
    file->count = 0;
    for (int number = 1; stream && file->count < MOST_LINES && fgets(line, sizeof line, stream);
         number++) {
        size_t length = strlen(line);
        while (length && isspace((unsigned char)line[length - 1]))
            length--;
        line[length] = '\0';
        if (!length || behind(line, "// clang-format "))
            continue;
        snprintf(file->lines[file->count], LINE_BYTES, "%.*s", LINE_BYTES - 1, line);
        file->numbers[file->count++] = number;
    }
    if (stream)
        fclose(stream);
    return stream != NULL;
}

/* --- parts -------------------------------------------------------------------------------------*/

static const char begin_word[] = "// BEGIN SOLUTION:";

/* Reads a part as it is given: its TODO, its lines, and the solution's line after the part. */
static int read_part(const struct file *solution, int begin, struct file *part)
{
    int i = begin;
    part->count = 0;
    for (; i < solution->count && !behind(solution->lines[i], "// END SOLUTION"); i++) {
        const char *const line = solution->lines[i], *const given = behind(line, "//|");
        const int indent = (int)strspn(line, " ");
        if (i == begin)
            snprintf(part->lines[part->count++], LINE_BYTES, "%*s// TODO:%.*s", indent, "",
                     LINE_BYTES / 2, behind(line, begin_word));
        else if (given && given[strspn(given, " ")])
            snprintf(part->lines[part->count++], LINE_BYTES, "%*s%.*s", indent, "", LINE_BYTES / 2,
                     given + (*given == ' '));
    }
    if (++i < solution->count && !behind(solution->lines[i], begin_word))
        snprintf(part->lines[part->count++], LINE_BYTES, "%s", solution->lines[i]);
    return part->count;
}

/* Where the lines of a part are together, from its line `first` on; -1: nowhere. */
static int find_lines(const struct file *file, int from, const struct file *part, int first)
{
    for (int at = from; at + part->count - first <= file->count; at++) {
        int i = first;
        while (i < part->count && strcmp(file->lines[at + i - first], part->lines[i]) == 0)
            i++;
        if (i == part->count)
            return at;
    }
    return -1;
}

/* Finds a part with its TODO, or without it if the other lines are enough to tell. */
static int find_part(const struct file *file, int from, const struct file *solution, int begin)
{
    static struct file part; /* too large for a stack */
    const int count = read_part(solution, begin, &part);
    const int with_todo = find_lines(file, from, &part, 0);
    return with_todo >= 0 || count < 3 ? with_todo : find_lines(file, from, &part, 1);
}

/* Reads a file without comments and blanks, to be freed; NULL if there is no memory. */
static char *read_code(FILE *stream)
{
    enum { CODE, LINE_COMMENT, BLOCK_COMMENT } in = CODE;
    char *code = NULL;
    size_t bytes = 0;
    FILE *const kept = open_memstream(&code, &bytes);
    int before = ' ';
    for (int c; kept && (c = getc(stream)) != EOF; before = c) {
        if (in == CODE && before == '/' && (c == '/' || c == '*')) {
            in = c == '/' ? LINE_COMMENT : BLOCK_COMMENT;
            c = ' '; /* not the star of an end */
        } else if ((in == LINE_COMMENT && c == '\n') ||
                   (in == BLOCK_COMMENT && before == '*' && c == '/')) {
            in = CODE;
            c = ' ';
        } else if (in == CODE && !isspace(before)) {
            putc(before, kept);
        }
    }
    if (kept && in == CODE && !isspace(before))
        putc(before, kept);
    if (kept)
        fclose(kept);
    return code;
}

char *lab_todo_given(const struct lab_registry_entry *entry, size_t *bytes)
{
    char root[LAB_PATH_BYTES];
    char command[3 * LAB_PATH_BYTES];
    char *text = NULL;
    lab_root(root);
    snprintf(command, sizeof command,
             "awk -f '%s/harness/exercise/stub.awk' '%s/solutions/%s/kernel.cu' 2> /dev/null", root,
             root, entry->directory);
    FILE *const stub = strchr(root, '\'') ? NULL : popen(command, "r");
    FILE *const kept = open_memstream(&text, bytes);
    for (int c; stub && kept && (c = getc(stub)) != EOF;)
        putc(c, kept);
    if (kept)
        fclose(kept);
    if ((stub && pclose(stub) == 0) || !text)
        return text;
    free(text);
    return NULL;
}

bool lab_todo_is_untouched(const struct lab_registry_entry *entry, FILE *file)
{
    size_t bytes = 0;
    char *const given = lab_todo_given(entry, &bytes), *const code = read_code(file);
    FILE *const stream = given && bytes ? fmemopen(given, bytes, "r") : NULL;
    char *const as_given = stream ? read_code(stream) : NULL;
    const bool is_same = as_given && code && strcmp(as_given, code) == 0;
    if (stream)
        fclose(stream);
    free(given);
    free(as_given);
    free(code);
    return is_same;
}

enum lab_todo lab_todo_find(const struct lab_registry_entry *entry, const char *source, char *text,
                            size_t size)
{
    static struct file file, solution; /* too large for a stack */
    char root[LAB_PATH_BYTES], path[LAB_PATH_BYTES + 128];
    int parts = 0, from = 0;
    lab_root(root);
    snprintf(path, sizeof path, "%s/solutions/%s/kernel.cu", root, entry->directory);
    if (!read_file(path, &solution))
        return LAB_TODO_DONE;
    snprintf(path, sizeof path, "%s/exercises/%s/kernel.cu", root, entry->directory);
    if (!read_file(source ? source : path, &file))
        return LAB_TODO_DONE;
    if (source)
        snprintf(text, size, "%s:", lab_shown_path(source));
    else
        snprintf(text, size, "exercises/%s/kernel.cu:", entry->directory);
    for (int i = 0; i < solution.count; i++) {
        const int at =
            behind(solution.lines[i], begin_word) ? find_part(&file, from, &solution, i) : -1;
        const size_t length = strlen(text);
        if (at < 0)
            continue;
        snprintf(text + length, size - length, "%s%d", parts++ ? ", " : "", file.numbers[at]);
        from = at + 1; /* equal parts follow one another */
    }
    FILE *const stream = parts ? fopen(source ? source : path, "r") : NULL;
    const bool is_open = stream && lab_todo_is_untouched(entry, stream);
    if (stream)
        fclose(stream);
    return !parts ? LAB_TODO_DONE : is_open ? LAB_TODO_OPEN : LAB_TODO_SOME;
}

/* The compiler says which headers it read: no way of writing an #include escapes it. */

/* The part of a path below common/, if it begins with `word`; NULL: it does not. */
static const char *below_common(const char *path, const char *word, size_t length)
{
    static const char common[] = "common/";
    for (const char *at = path; (at = strstr(at, common)); at++)
        if (strncmp(at + strlen(common), word, length) == 0)
            return at + strlen(common);
    return NULL;
}

bool lab_exercise_includes(const struct lab_exercise *exercise, const char *depends, char *why,
                           size_t size)
{
    char path[4096];
    bool found = false;
    FILE *file = exercise->without[0] ? fopen(depends, "r") : NULL;
    while (file && !found && fscanf(file, "%4095s", path) == 1)
        for (const char *word = exercise->without; *word && !found;) {
            const size_t length = strcspn(word, " ");
            const char *header = below_common(path, word, length);
            found = header != NULL;
            if (found)
                snprintf(why, size, "includes %s, which this exercise asks you to write", header);
            word += length + strspn(word + length, " ");
        }
    if (file)
        fclose(file);
    return found;
}
