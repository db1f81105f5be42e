/* The page is a template with four marks: for the drawing library, the run's JSON, the JSON of a
 * simulated run if the run has no lines of its own, and the table with the meaning of counters. The
 * browser draws everything from these. */
#include "report/page.h"

#include "base/json_writer.h"
#include "base/files.h"
#include "base/status.h"
#include "measure/counters/counters.h"
#include "report/columns.h"
#include "report/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char library[] = "/usr/share/nodejs/d3/dist/d3.min.js"; /* Debian's place for it */
static const char library_mark[] = "<!-- the drawing library -->\n";
static const char run_mark[] = "<!-- the run -->\n";
static const char lines_mark[] = "<!-- a simulated run -->\n";
static const char meanings_mark[] = "<!-- the table, and what counters count -->\n";

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

/* The content of a page: a run, or the many runs of a study. */
struct subject {
    const struct lab_result *result;
    const char *lines;             /* file of a run that counted the lines; NULL: this run did */
    const struct lab_sweep *sweep; /* NULL: the page shows the result */
};

/* Puts JSON into an element. No text in it may end the element, so '<' is escaped. */
static void put_element(const char *id, const char *text, FILE *to)
{
    fprintf(to, "<script type=\"application/json\" id=\"%s\">\n", id);
    for (const char *c = text; *c; c++)
        if (*c == '\n') /* only between items; indents are half of the file */
            c += strspn(c, " \n") - 1;
        else
            *c == '<' ? fputs("\\u003c", to) : fputc(*c, to);
    fputs("\n</script>\n", to);
}

/* Puts into an element what `put` writes; false: out of memory. */
static bool put_json(const char *id,
                     void (*put)(struct lab_json_writer *w, const struct subject *subject),
                     const struct subject *subject, FILE *to)
{
    char *text = NULL;
    size_t size;
    struct lab_json_writer w = {.stream = open_memstream(&text, &size)};
    if (!w.stream)
        return false;
    put(&w, subject);
    const bool is_whole = fclose(w.stream) == 0;
    if (is_whole)
        put_element(id, text, to);
    free(text);
    return is_whole;
}

static void put_run(struct lab_json_writer *w, const struct subject *subject)
{
    if (subject->sweep)
        lab_json_put_sweep(subject->sweep, w->stream);
    else
        lab_json_put(subject->result, w->stream);
}

/* Writes what each counter counts, in words. */
static void put_meanings(struct lab_json_writer *w, const struct subject *subject)
{
    int count;
    const struct lab_counter_kind *const kinds = lab_counter_kinds(&count);
    (void)subject;
    lab_json_begin(w, NULL, '{');
    for (int i = 0; i < count; i++)
        if (kinds[i].rule == LAB_COUNTER_PLAIN)
            lab_json_string(w, kinds[i].name, kinds[i].label);
    lab_json_end(w, '}');
}

/* Puts the simulated run. If its file cannot be read, the page is still whole. */
static void put_lines(const char *path, FILE *to)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const from = path ? fopen(path, "r") : NULL;
    if (from && getdelim(&text, &size, '\0', from) > 0)
        put_element("simulated", text, to);
    if (from)
        fclose(from);
    free(text);
}

/* Writes the table like on a terminal: columns that say something, their meaning, and a cell for
 * each row. */
static void put_table(struct lab_json_writer *w, const struct subject *subject)
{
    const struct lab_result *const result = subject->result;
    int count;
    const struct lab_column *const columns = lab_columns(&count);
    lab_json_begin(w, NULL, '[');
    for (int c = 0; result && c < count; c++) {
        char title[LAB_CELL_BYTES];
        bool any = false;
        for (int r = 0; r < result->row_count; r++)
            any = any || *lab_cell_of(&columns[c], result, &result->rows[r]).text;
        if (!any)
            continue;
        lab_column_title(&columns[c], result, title);
        lab_json_begin(w, NULL, '{');
        lab_json_string(w, "title", title);
        lab_json_string(w, "meaning", columns[c].meaning);
        lab_json_bool(w, "left", columns[c].left);
        lab_json_begin(w, "cells", '[');
        for (int r = 0; r < result->row_count; r++)
            if (result->rows[r].check.status != LAB_CHECK_NOT_RUN) /* JSON has no other rows */
                lab_json_string(w, NULL, lab_cell_of(&columns[c], result, &result->rows[r]).text);
        lab_json_end(w, ']');
        lab_json_end(w, '}');
    }
    lab_json_end(w, ']');
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
            is_whole = put_json("result", put_run, subject, to);
        else if (strcmp(line, lines_mark) == 0)
            put_lines(subject->lines, to);
        else if (strcmp(line, meanings_mark) == 0)
            is_whole = put_json("table", put_table, subject, to) &&
                       put_json("meanings", put_meanings, subject, to);
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

int lab_page_write(const struct lab_result *result, const char *lines, const char *path)
{
    const struct subject subject = {.result = result, .lines = lines};
    return write_page(&subject, path);
}

int lab_page_write_sweep(const struct lab_sweep *sweep, const char *path)
{
    return write_page(&(struct subject){.sweep = sweep}, path);
}
