/* What the lab prints, in shell transcripts that read well in a diff: each table, document and form
 * of message once, in harness/tests/frozen/NAME.txt. A line `$ COMMAND` is run, and what follows it
 * is what it gave. Numbers stand as # there: figures are held by the tests of figures. With
 * LAB_FREEZE=1 (make freeze) the transcripts are written anew. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 32, NAME_BYTES = 64 };

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    cr_assert(value, "%s is not set", name);
    return value;
}

/* `text`, which is freed, with `word` in the place of every `found`. */
static char *replace_word(char *text, const char *found, const char *word)
{
    char *replaced;
    size_t size;
    FILE *stream = open_memstream(&replaced, &size);
    const char *at = text;
    for (const char *next; (next = strstr(at, found)); at = next + strlen(found))
        fprintf(stream, "%.*s%s", (int)(next - at), at, word);
    fputs(at, stream);
    fclose(stream);
    free(text);
    return replaced;
}

/* Length of the number at `text`; 0: there is none, or it is part of a name, such as step07 or 4x4.
 */
static size_t number_at(const char *line, const char *text)
{
    const char before = text > line ? text[-1] : ' ';
    char *end;
    if (isalnum((unsigned char)before) || before == '_' || before == '.' ||
        !isdigit((unsigned char)text[text[0] == '-' && before != ')']))
        return 0;
    strtod(text, &end);
    while (*end == ',' && isdigit((unsigned char)end[1])) /* 1,024 */
        strtod(end + 1, &end);
    return isalpha((unsigned char)*end) || *end == '_' ? 0 : (size_t)(end - text);
}

/* A line with # for each number: in a table at its right end, so that a column stays where it is
 * however many digits its figures have, and without the blanks in JSON and prose. */
static void put_masked(FILE *stream, const char *line, size_t length)
{
    const bool is_json = memmem(line, length, "\": ", 3) != NULL;
    size_t blanks = 0;
    for (const char *at = line; at < line + length;) {
        const size_t number = number_at(line, at);
        if (number) {
            const size_t width = blanks > 1 && !is_json ? blanks + number - 1 : blanks;
            fprintf(stream, "%*s#", (int)width, "");
            at += number;
            if (width == 0 && number > 1 && strncmp(at, "  ", 2) == 0)
                fprintf(stream, "%*s", (int)number - 1, ""); /* a column that begins the line */
            blanks = 0;
        } else if (*at == ' ') {
            blanks++;
            at++;
        } else {
            fprintf(stream, "%*s%c", (int)blanks, "", *at++);
            blanks = 0;
        }
    }
    fputc('\n', stream);
}

static void put_lines(FILE *stream, const char *text, const char *prefix)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        fputs(prefix, stream);
        put_masked(stream, text, length);
    }
}

/* One command in a folder of its own, $FOLDER, and what it gave. */
static void put_command(FILE *transcript, const char *command)
{
    static struct run_lab result;
    static const char *const ways[] = {"LAB_TEST_BUILD", "LAB_TEST_ROOT"};
    char folder[] = "/tmp/lab-frozen-XXXXXX", kernels[8192], *said;
    size_t size;
    cr_assert(mkdtemp(folder));
    run_lab_shell(&result, "FOLDER=%s; %s", folder, command);
    FILE *stream = open_memstream(&said, &size);
    put_lines(stream, result.out, "");
    put_lines(stream, result.err, "2> ");
    if (result.status)
        fprintf(stream, "status %d\n", result.status);
    fclose(stream);
    said = replace_word(said, folder, "$FOLDER");
    snprintf(kernels, sizeof kernels, "%s/%s", environment("LAB_TEST_ROOT"), run_lab_kernels());
    said = replace_word(said, kernels, "$KERNELS");
    said = replace_word(said, run_lab_kernels(), "$KERNELS");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        said = replace_word(said, environment(ways[i]), i ? "$ROOT" : "$BUILD");
    fprintf(transcript, "$ %s\n%s\n", command, said);
    free(said);
    run_lab_shell(&result, "rm -rf %s", folder);
}

static const char *folder(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/harness/tests/frozen", environment("LAB_TEST_ROOT"));
    return path;
}

ParameterizedTestParameters(frozen, transcript)
{
    static char names[MOST_FILES][NAME_BYTES];
    struct dirent **entries;
    const int count = scandir(folder(), &entries, NULL, alphasort);
    size_t files = 0;
    for (int i = 0; i < count && files < MOST_FILES; i++)
        if (strstr(entries[i]->d_name, ".txt"))
            snprintf(names[files++], NAME_BYTES, "%.63s", entries[i]->d_name);
    return cr_make_param_array(char[NAME_BYTES], names, files);
}

ParameterizedTest(char name[NAME_BYTES], frozen, transcript)
{
    static struct run_lab result;
    char path[8192], *kept = NULL, *now, *line, *rest;
    size_t room = 0, size;
    setenv("BUILD", environment("LAB_TEST_BUILD"), 1);
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1); /* the same on a machine with a GPU */
    setenv("LC_ALL", "C", 1);
    setenv("PATH", "/usr/bin:/bin", 1);
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    FILE *file = fopen(path, "r");
    cr_assert(file && getdelim(&kept, &room, '\0', file) > 0, "%s", path);
    fclose(file);
    FILE *stream = open_memstream(&now, &size);
    char *lines = strdup(kept);
    for (rest = lines; (line = strsep(&rest, "\n"));)
        if (strncmp(line, "$ ", 2) == 0)
            put_command(stream, line + 2);
    fclose(stream);
    if (getenv("LAB_FREEZE")) {
        file = fopen(path, "w");
        cr_assert(file && fputs(now, file) >= 0 && fclose(file) == 0, "%s", path);
        return;
    }
    if (strcmp(kept, now) == 0)
        return;
    setenv("NOW", now, 1);
    run_lab_shell(&result, "printf %%s \"$NOW\" | diff -u 'harness/tests/frozen/%s' -", name);
    cr_expect_fail("make freeze, if this is meant:\n%s", result.out);
}
