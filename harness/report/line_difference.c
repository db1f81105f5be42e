/* Lines are matched by their text, because numbers shift as soon as a line is added. If several
 * lines have the same text, the first matches the first, and so on. */
#include "report/line_difference.h"

#include "base/files.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 200, SHOWN = 64 };

/* A counted line with its source text. */
struct sourced {
    const struct lab_line *line;
    char text[TEXT_BYTES];
    bool is_matched;
};

static struct sourced *read_all(const struct lab_lines *lines)
{
    struct sourced *list = calloc((size_t)lines->count + 1, sizeof *list);
    for (int i = 0; list && i < lines->count; i++) {
        list[i].line = &lines->list[i];
        char *text = lab_text_line(list[i].line->file, list[i].line->line);
        snprintf(list[i].text, TEXT_BYTES, "%s", text ? text : "");
        free(text);
    }
    return list;
}

/* What a line costs, in the order of the columns. */
static void costs_of(const struct lab_line *line, double costs[3])
{
    costs[0] = line ? line->warp_instructions : 0.0;
    costs[1] = line ? line->global_sectors : 0.0;
    costs[2] = line ? line->shared_wavefronts : 0.0;
}

/* Whether a cost differs by more than a tenth. Small counts are left out. */
static bool differs(const struct lab_line *a, const struct lab_line *b)
{
    double first[3], second[3];
    costs_of(a, first);
    costs_of(b, second);
    for (int i = 0; i < 3; i++) {
        double more = first[i] > second[i] ? first[i] : second[i];
        double less = first[i] > second[i] ? second[i] : first[i];
        if (more > 16.0 && more > 1.1 * less)
            return true;
    }
    return false;
}

static void print_pair(const struct lab_line *a, const struct lab_line *b, const char *text,
                       FILE *stream)
{
    double first[3], second[3];
    costs_of(a, first);
    costs_of(b, second);
    for (int i = 0; i < 3; i++) {
        if (first[i] == 0.0 && second[i] == 0.0)
            fprintf(stream, "%20s  ", "");
        else
            fprintf(stream, "%9.4g %10.4g  ", first[i], second[i]);
    }
    fprintf(stream, "%.*s\n", SHOWN, text);
}

static struct sourced *match_of(struct sourced *list, int count, const char *text)
{
    for (int i = 0; i < count; i++)
        if (!list[i].is_matched && strcmp(list[i].text, text) == 0)
            return &list[i];
    return NULL;
}

static void print_rows(const struct lab_row *a, const struct lab_row *b, FILE *stream)
{
    struct sourced *first = read_all(&a->lines), *second = read_all(&b->lines);
    fprintf(stream, "\nlines whose cost differs: %s, and %s\n%20s  %20s  %20s\n", a->name, b->name,
            "warp instructions", "sectors", "wavefronts");
    for (int i = 0; first && second && i < a->lines.count; i++) {
        struct sourced *match = match_of(second, b->lines.count, first[i].text);
        if (match)
            match->is_matched = true;
        if (differs(first[i].line, match ? match->line : NULL))
            print_pair(first[i].line, match ? match->line : NULL, first[i].text, stream);
    }
    for (int i = 0; first && second && i < b->lines.count; i++)
        if (!second[i].is_matched && differs(NULL, second[i].line))
            print_pair(NULL, second[i].line, second[i].text, stream);
    free(first);
    free(second);
}

void lab_line_difference_print(const struct lab_result *result, FILE *stream)
{
    const struct lab_row *first = NULL;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        if (!row->lines.count || row->is_baseline)
            continue;
        if (first)
            print_rows(first, row, stream);
        else
            first = row;
    }
}
