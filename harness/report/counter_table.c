/* The table of counters: figures first, names last, so that a narrow terminal breaks the names. */
#include "report/terminal.h"

#include "base/numbers.h"

#include <string.h>

enum {
    CELL = LAB_FIGURE_BYTES,
    LABEL = 30,
    MOST_COLUMNS = 2 * LAB_MAX_ROWS,
    HEAD = LAB_NAME_BYTES + 8
};

struct column {
    char head[HEAD];
    const struct lab_counters *counters;
    int width;
};

struct columns {
    struct column list[MOST_COLUMNS];
    int count;
};

static void write_figure(char cell[CELL], double value, bool percent)
{
    if (percent)
        snprintf(cell, CELL, "%.1f%%", value);
    else
        lab_figure_write(cell, value);
}

static void add_column(struct columns *columns, const struct lab_row *row,
                       const struct lab_counters *counters, const char *suffix)
{
    if (counters->count == 0 || columns->count == MOST_COLUMNS)
        return;
    struct column *column = &columns->list[columns->count++];
    snprintf(column->head, HEAD, "%s%s", row->name, suffix);
    column->counters = counters;
    column->width = (int)strlen(column->head);
}

/* The figure of a line in one column; empty if it was not taken. */
static void cell_of(const struct column *column, const struct lab_counter_kind *kind, char *cell)
{
    double value;
    cell[0] = '\0';
    if (lab_counter_figure(kind, column->counters, &value))
        write_figure(cell, value, kind->percent);
}

static void fit_column(struct column *column)
{
    char cell[CELL];
    int count;
    const struct lab_counter_kind *kinds = lab_counter_kinds(&count);
    for (int i = 0; i < count + column->counters->count; i++) {
        if (i < count)
            cell_of(column, &kinds[i], cell);
        else
            write_figure(cell, column->counters->list[i - count].value, false);
        if ((int)strlen(cell) > column->width)
            column->width = (int)strlen(cell);
    }
}

static bool any_figure(const struct columns *columns, const struct lab_counter_kind *kind)
{
    double value;
    for (int i = 0; i < columns->count; i++)
        if (lab_counter_figure(kind, columns->list[i].counters, &value) &&
            (!kind->optional || value != 0.0))
            return true;
    return false;
}

static void print_line(const struct columns *columns, const struct lab_counter_kind *kind,
                       FILE *stream)
{
    char cell[CELL];
    fprintf(stream, "  %-*s", LABEL, kind->label);
    for (int i = 0; i < columns->count; i++) {
        cell_of(&columns->list[i], kind, cell);
        fprintf(stream, "  %*s", columns->list[i].width, cell);
    }
    const bool has_name = kind->rule == LAB_COUNTER_PLAIN || kind->rule == LAB_COUNTER_MISSES;
    if (has_name)
        fprintf(stream, "  %s", kind->name);
    if (kind->older[0])
        fprintf(stream, has_name ? " (%s)" : "  (%s)", kind->older);
    fputc('\n', stream);
}

static void print_group(const struct columns *columns, enum lab_counter_group group, FILE *stream)
{
    int count;
    const struct lab_counter_kind *kinds = lab_counter_kinds(&count);
    bool headed = false;
    for (int i = 0; i < count; i++) {
        if (kinds[i].group != group || !any_figure(columns, &kinds[i]))
            continue;
        if (!headed)
            fprintf(stream, "%s\n", lab_counter_group_name(group));
        headed = true;
        print_line(columns, &kinds[i], stream);
    }
}

/* Prints counters that the catalogue does not know, such as those of a newer simulator. */
static void print_others(const struct columns *columns, FILE *stream)
{
    struct lab_counters seen = {.count = 0};
    for (int c = 0; c < columns->count; c++)
        for (int i = 0; i < columns->list[c].counters->count; i++) {
            const char *name = columns->list[c].counters->list[i].name;
            double value;
            if (lab_counter_known(name) || lab_counters_get(&seen, name, &value))
                continue;
            if (seen.count == 0)
                fputs("others\n", stream);
            lab_counters_set(&seen, name, 0.0);
            struct lab_counter_kind kind = {.label = "", .name = name, .older = ""};
            print_line(columns, &kind, stream);
        }
}

void lab_counter_table_print(const struct lab_result *result, FILE *stream)
{
    struct columns columns = {.count = 0};
    bool both = false;
    for (int i = 0; i < result->row_count; i++)
        both = both || result->rows[i].simulated.count > 0;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        add_column(&columns, row, &row->counters, "");
        add_column(&columns, row, &row->simulated, " (sim)");
    }
    if (columns.count == 0)
        return;
    fprintf(stream, "\n%-*s", LABEL + 2, "counters");
    for (int i = 0; i < columns.count; i++) {
        fit_column(&columns.list[i]);
        fprintf(stream, "  %*s", columns.list[i].width, columns.list[i].head);
    }
    fputs("  name in Nsight Compute (in nvprof)\n", stream);
    for (int group = 0; group < LAB_COUNTERS_GROUPS; group++)
        print_group(&columns, group, stream);
    print_others(&columns, stream);
    if (both)
        fputs("\n(sim): counted by the simulator at the same problem\n", stream);
}
