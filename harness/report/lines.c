/* Counters beside the lines of a source, and what changed between two sources. */
#include "report/terminal.h"

#include "base/files.h"
#include "base/text.h"
#include "measure/counters/counters.h"

#include <stdlib.h>
#include <string.h>

/* --- a table of lines --------------------------------------------------------------------------*/

/* Source lines with their counts, and the counts of each array if a line has several. Lines between
 * two counted lines are shown for orientation; longer stretches are left out. If the source cannot
 * be read any more, only counts are shown. */

enum { MOST_GAP = 6, FIGURE = 32 };

static const struct lab_line *find_line(const struct lab_lines *lines, const char *file, int number)
{
    for (int i = 0; i < lines->count; i++)
        if (lines->list[i].line == number && strcmp(lines->list[i].file, file) == 0)
            return &lines->list[i];
    return NULL;
}

/* The next counted line of a file after `number`; 0: there is none. */
static int next_line(const struct lab_lines *lines, const char *file, int number)
{
    int next = 0;
    for (int i = 0; i < lines->count; i++)
        if (strcmp(lines->list[i].file, file) == 0 && lines->list[i].line > number &&
            (next == 0 || lines->list[i].line < next))
            next = lines->list[i].line;
    return next;
}

static void ratio(char text[FIGURE], double value, double by)
{
    text[0] = '\0';
    if (by > 0.0)
        snprintf(text, FIGURE, "%.1f", value / by);
}

static void count(char text[FIGURE], double value)
{
    const char *unit = value >= 1e9 ? "G" : value >= 1e6 ? "M" : value >= 1e3 ? "k" : "";
    double scale = value >= 1e9 ? 1e9 : value >= 1e6 ? 1e6 : value >= 1e3 ? 1e3 : 1.0;
    text[0] = '\0';
    if (value > 0.0)
        snprintf(text, FIGURE, "%.4g%s", value / scale, unit);
}

static void print_figures(const struct lab_line *line, double all, char mark, FILE *stream)
{
    char share[FIGURE] = "", sectors[FIGURE] = "", waves[FIGURE] = "", conflicts[FIGURE] = "";
    if (line) {
        if (line->warp_instructions > 0.0)
            snprintf(share, sizeof share, "%.1f%%", 100.0 * line->warp_instructions / all);
        ratio(sectors, line->global_sectors, line->global_requests);
        ratio(waves, line->shared_wavefronts, line->shared_requests);
        count(conflicts, line->shared_conflicts);
    }
    fprintf(stream, "%c %7s %8s %8s %9s ", mark, share, sectors, waves, conflicts);
}

/* Prints what each array costs, below a line that accesses several arrays. */
static void print_operands(const struct lab_lines *lines, const struct lab_line *line, double all,
                           FILE *stream)
{
    for (int i = 0; i < lines->operand_count; i++) {
        if (!lab_lines_tell_apart(lines, line, &lines->operands[i]))
            continue;
        print_figures(&lines->operands[i].counts, all, ' ', stream);
        fprintf(stream, "%4s  of these, %s\n", "", lines->operands[i].name);
    }
}

static char mark_of(const struct lab_lines *lines, const struct lab_worst_line *worst, int count,
                    const struct lab_line *line)
{
    for (int i = 0; i < count; i++)
        if (line == &lines->list[worst[i].index])
            return '*';
    return ' ';
}

/* Where source text begins, behind the figures and the number; and how deep it is indented at most
 * where it is wrapped. */
enum { SOURCE_COLUMN = 44, DEEPEST = 12 };

/* Source text, wrapped to the terminal; without its end of line. */
static void print_source(const char *text, FILE *stream)
{
    const int indent = (int)strspn(text, " ");
    const bool is_deep = lab_columns_of(stream) && indent > DEEPEST;
    lab_print_wrapped(stream, SOURCE_COLUMN, text + (is_deep ? indent - DEEPEST : 0));
    fputc('\n', stream);
}

static void print_file(const struct lab_lines *lines, const char *name,
                       const struct lab_worst_line *worst, int worst_count, FILE *stream)
{
    FILE *file = fopen(name, "r");
    char *text = NULL;
    size_t room = 0;
    double all = lab_lines_instructions(lines);
    int shown = 0, next = next_line(lines, name, 0);
    fprintf(stream, "%s\n%9s %8s %8s %9s\n", name, "instr.", "sect/req", "wave/req", "conflicts");
    for (int number = 1; next; number++) {
        bool readable = file && getline(&text, &room, file) > 0;
        const struct lab_line *line = number == next ? find_line(lines, name, number) : NULL;
        if (!line && (!shown || !readable || next - shown > MOST_GAP)) {
            if (shown && number == shown + 1)
                fprintf(stream, "%37s ...\n", "");
            continue;
        }
        print_figures(line, all, mark_of(lines, worst, worst_count, line), stream);
        if (readable)
            text[strcspn(text, "\n")] = '\0';
        fprintf(stream, "%4d  ", number);
        print_source(readable ? text : "", stream);
        if (line) {
            print_operands(lines, line, all, stream);
            shown = number;
            next = next_line(lines, name, number);
        }
    }
    free(text);
    if (file)
        fclose(file);
}

static bool is_first_of_file(const struct lab_lines *lines, int index)
{
    for (int i = 0; i < index; i++)
        if (strcmp(lines->list[i].file, lines->list[index].file) == 0)
            return false;
    return true;
}

static void print_row(const struct lab_row *row, FILE *stream)
{
    struct lab_worst_line worst[LAB_WORST_LINES];
    int count = lab_worst_lines(&row->lines, worst);
    fprintf(stream, "\n%s: ", row->name);
    for (int i = 0; i < row->lines.count; i++)
        if (is_first_of_file(&row->lines, i))
            print_file(&row->lines, row->lines.list[i].file, worst, count, stream);
    for (int i = 0; i < count; i++)
        lab_printf_wrapped(stream, "* line %d: %s\n", row->lines.list[worst[i].index].line,
                           worst[i].reason);
}

void lab_line_table_print(const struct lab_result *result, FILE *stream)
{
    bool any = false;
    for (int i = 0; i < result->row_count; i++) {
        if (result->rows[i].lines.count)
            print_row(&result->rows[i], stream);
        any |= result->rows[i].lines.count > 0;
    }
    if (any)
        lab_printf_wrapped(
            stream, "\ninstr.: the line's share of all instructions; sect/req: sectors of 32 "
                    "bytes for each access of a warp to global memory; wave/req: wavefronts "
                    "for each to shared memory; conflicts: those that a conflict-free access "
                    "would not need\n");
}

/* --- differences -------------------------------------------------------------------------------*/

/* Lines are matched by their text, because numbers shift as soon as a line is added. If several
 * lines have the same text, the first matches the first, and so on. */

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
