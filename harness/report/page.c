/* The page is a template with three marks: for the drawing library, the run's JSON, and the sources
 * whose lines were counted. All that is drawn is drawn in the browser, from these. */
#include "report/page.h"

#include "base/json_writer.h"
#include "base/new_file.h"
#include "base/paths.h"
#include "base/status.h"
#include "measure/counters.h"
#include "report/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char library[] = "/usr/share/nodejs/d3/dist/d3.min.js"; /* where Debian has it */
static const char library_mark[] = "<!-- the drawing library -->\n";
static const char run_mark[] = "<!-- the run -->\n";
static const char beside_mark[] = "<!-- what stands beside it -->\n";

static int cannot_write(const char *path, int reason)
{
    return lab_json_cannot_write("html", path, reason);
}

int lab_page_check(const char *path)
{
    FILE *const file = fopen(library, "r");
    if (!file)
        return lab_complain(LAB_EXIT_MISSING, "--html draws with d3, which is not here: run `make "
                                              "setup page` (Debian's package node-d3)");
    fclose(file);
    if (strcmp(path, "-") == 0)
        return lab_complain(LAB_EXIT_USAGE, "--html -: give a file, such as page.html");
    const int reason = lab_new_file_try(path);
    return reason ? cannot_write(path, reason) : LAB_EXIT_OK;
}

/* Copies a file; false with errno set. */
static bool copy_file(const char *path, FILE *to)
{
    FILE *const from = fopen(path, "r");
    char bytes[65536];
    size_t count;
    if (!from)
        return false;
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
        fwrite(bytes, 1, count, to);
    fclose(from);
    return true;
}

/* An element with JSON in it, which no text of it may end. Frees the text, NULL where memory ran
 * out. */
static bool put_json(const char *id, char *text, FILE *to)
{
    if (!text)
        return false;
    fprintf(to, "<script type=\"application/json\" id=\"%s\">\n", id);
    for (const char *c = text; *c; c++)
        if (*c == '\n') /* no text has one in it: indents are half of the file */
            c += strspn(c, " \n") - 1;
        else
            *c == '<' ? fputs("\\u003c", to) : fputc(*c, to);
    fputs("\n</script>\n", to);
    free(text);
    return true;
}

/* What a page is of: a run, or the many runs of a study. */
struct subject {
    const struct lab_result *result;
    const struct lab_sweep *sweep; /* NULL: the result */
    lab_json_more_fn *put_more;
};

static bool put_run(const struct subject *subject, FILE *to)
{
    char *text = NULL;
    size_t size;
    FILE *const memory = open_memstream(&text, &size);
    if (!memory)
        return false;
    if (subject->sweep)
        lab_json_put_sweep(subject->sweep, subject->put_more, memory);
    else
        lab_json_put(subject->result, memory);
    if (fclose(memory) == 0)
        return put_json("result", text, to);
    free(text);
    return false;
}

/* The file of a row's line, or at the end of them that of its fault, which may be "". */
static const char *file_of(const struct lab_row *row, int line)
{
    return line < row->lines.count ? row->lines.list[line].file : row->check.file;
}

static bool is_put_before(const struct lab_result *result, int row, int line)
{
    const char *const file = file_of(&result->rows[row], line);
    for (int r = 0; r <= row; r++)
        for (int i = 0; i < (r < row ? result->rows[r].lines.count + 1 : line); i++)
            if (strcmp(file_of(&result->rows[r], i), file) == 0)
                return true;
    return false;
}

/* One that cannot be read any more is left out. */
static void put_source(struct lab_json_writer *w, const char *path)
{
    FILE *const file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (!file)
        return;
    lab_json_begin(w, path, '[');
    while (getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        lab_json_string(w, NULL, line);
    }
    lab_json_end(w, ']');
    free(line);
    fclose(file);
}

/* The lines of each file, by its path, of which a study has none; and what counters count. */
static bool put_beside(const struct lab_result *result, FILE *to)
{
    char *text = NULL;
    size_t size;
    FILE *const memory = open_memstream(&text, &size);
    if (!memory)
        return false;
    struct lab_json_writer w = {.stream = memory};
    int count;
    const struct lab_counter_kind *const kinds = lab_counter_kinds(&count);
    lab_json_begin(&w, NULL, '{');
    lab_json_begin(&w, "sources", '{');
    for (int r = 0; result && r < result->row_count; r++)
        for (int i = 0; i <= result->rows[r].lines.count; i++)
            if (!is_put_before(result, r, i))
                put_source(&w, file_of(&result->rows[r], i));
    lab_json_end(&w, '}');
    lab_json_begin(&w, "counters", '{');
    for (int i = 0; i < count; i++)
        if (kinds[i].rule == LAB_COUNTER_PLAIN)
            lab_json_string(&w, kinds[i].name, kinds[i].label);
    lab_json_end(&w, '}');
    lab_json_end(&w, '}');
    if (fclose(memory) == 0)
        return put_json("beside", text, to);
    free(text);
    return false;
}

static bool put_library(FILE *to)
{
    fputs("<script>\n", to);
    const bool is_there = copy_file(library, to);
    fputs("</script>\n", to);
    return is_there;
}

static bool put_page(const struct subject *subject, FILE *to)
{
    char root[LAB_PATH_BYTES], path[LAB_PATH_BYTES + 64], line[4096];
    lab_root(root);
    snprintf(path, sizeof path, "%s/harness/report/page.html", root);
    FILE *const template = fopen(path, "r");
    bool is_whole = template != NULL;
    while (is_whole && fgets(line, sizeof line, template)) {
        if (strcmp(line, library_mark) == 0)
            is_whole = put_library(to);
        else if (strcmp(line, run_mark) == 0)
            is_whole = put_run(subject, to);
        else if (strcmp(line, beside_mark) == 0)
            is_whole = put_beside(subject->result, to);
        else
            fputs(line, to);
    }
    if (template)
        fclose(template);
    return is_whole;
}

static int write_page(const struct subject *subject, const char *path)
{
    struct lab_new_file file;
    if (!lab_new_file_begin(&file, path))
        return cannot_write(path, errno);
    if (!put_page(subject, file.stream)) {
        const int reason = errno;
        lab_new_file_drop(&file);
        return cannot_write(path, reason);
    }
    return lab_new_file_end(&file) ? LAB_EXIT_OK : cannot_write(path, errno);
}

int lab_page_write(const struct lab_result *result, const char *path)
{
    return write_page(&(struct subject){.result = result}, path);
}

int lab_page_write_sweep(const struct lab_sweep *sweep, lab_json_more_fn *put_more,
                         const char *path)
{
    return write_page(&(struct subject){.sweep = sweep, .put_more = put_more}, path);
}
