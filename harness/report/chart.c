/* A plot in characters: shows what the SVG shows, for somebody who has only a terminal. */
#include "report/chart.h"

#include "base/wrapped.h"

#include <math.h>
#include <string.h>

enum { WIDEST = 100, USUAL = 80, NARROWEST = 40, MARK_BYTES = 12, FEW_STEPS = 4 };

/* An axis from its first value to its last, divided into cells. */
struct axis {
    bool is_log;
    double first, last;
    int cells;
};

static int cell_of(const struct axis *axis, double value)
{
    const double first = axis->is_log ? log(axis->first) : axis->first,
                 last = axis->is_log ? log(axis->last) : axis->last;
    const double of_all = ((axis->is_log ? log(value) : value) - first) / (last - first);
    return last > first ? (int)lround(of_all * (axis->cells - 1)) : axis->cells / 2;
}

/* The least of 1, 2, 5, 10, 20 ... that is not below a value. */
static double round_up(double value)
{
    const double ten = pow(10.0, floor(log10(value) + 1e-9));
    for (int i = 0; i < 2; i++)
        if ((i ? 2.0 : 1.0) * ten >= value * (1.0 - 1e-9))
            return (i ? 2.0 : 1.0) * ten;
    return (5.0 * ten >= value * (1.0 - 1e-9) ? 5.0 : 10.0) * ten;
}

static double round_down(double value)
{
    const double ten = pow(10.0, floor(log10(value) + 1e-9)), digit = value / ten * (1.0 + 1e-9);
    return (digit >= 5.0 ? 5.0 : digit >= 2.0 ? 2.0 : 1.0) * ten;
}

/* The mark after a value. */
static double next_mark(const struct axis *axis, double value)
{
    const double step = round_up(axis->last / FEW_STEPS);
    return axis->is_log ? round_up(value * 1.5) : (floor(value / step + 1e-9) + 1.0) * step;
}

/* Finds the range of both axes; false: there is no value. */
static bool span(const struct lab_chart *chart, struct axis *x, struct axis *y)
{
    double least = INFINITY, most = 0.0;
    for (int p = 0; p < chart->point_count; p++)
        for (int s = 0; s < chart->series_count; s++) {
            const double value = chart->points[p].values[s];
            least = value > 0.0 ? fmin(least, value) : least;
            most = fmax(most, value);
        }
    *x = (struct axis){.is_log = chart->x_is_log, .first = INFINITY, .last = -INFINITY};
    for (int p = 0; p < chart->point_count; p++) {
        x->first = fmin(x->first, chart->points[p].x);
        x->last = fmax(x->last, chart->points[p].x);
    }
    if (most <= 0.0)
        return false;
    *y = (struct axis){.is_log = chart->y_is_log, .last = most};
    y->first = chart->y_is_log ? round_down(least) : 0.0;
    const double step = round_up(most / FEW_STEPS);
    y->last = chart->y_is_log ? round_up(most) : ceil(most / step - 1e-9) * step;
    if (y->first == y->last)
        y->last = next_mark(y, y->first);
    return true;
}

/* Writes each series with its letter, "a cublas   b coalesced", if there is a stream. Returns the
 * number of lines. */
static int put_legend(const struct lab_chart *chart, int columns, bool any_together, FILE *stream)
{
    int lines = 1, column = 0;
    for (int s = 0; s < chart->series_count + any_together; s++) {
        const bool is_series = s < chart->series_count;
        const char *name = is_series ? chart->series[s] : "several";
        const int width = (int)strlen(name) + 2, gap = column ? 3 : 0;
        const bool breaks = column && column + gap + width > columns;
        if (stream)
            fprintf(stream, "%s%c %s",
                    breaks ? "\n"
                    : gap  ? "   "
                           : "",
                    is_series ? 'a' + s : '*', name);
        lines += breaks;
        column = breaks ? width : column + gap + width;
    }
    if (stream)
        fputc('\n', stream);
    return lines;
}

/* Puts a letter where each value is, and a star where two series meet; true if any meet. */
static bool put_letters(const struct lab_chart *chart, const struct axis *x, const struct axis *y,
                        char rows[LAB_CHART_LINES][WIDEST])
{
    bool any_together = false;
    memset(rows, ' ', LAB_CHART_LINES * WIDEST);
    for (int p = 0; p < chart->point_count; p++)
        for (int s = 0; s < chart->series_count; s++) {
            const double value = chart->points[p].values[s];
            if (!(value > 0.0))
                continue;
            char *cell = &rows[cell_of(y, value)][cell_of(x, chart->points[p].x)];
            *cell = (char)(*cell == ' ' || *cell == 'a' + s ? 'a' + s : '*');
            any_together |= *cell == '*';
        }
    return any_together;
}

/* Labels the points below the axis. A label that would touch the label before is left out. */
static void put_labels(const struct lab_chart *chart, const struct axis *x, int indent,
                       FILE *stream)
{
    char line[WIDEST + 1];
    int end = -1; /* where the label before ends */
    memset(line, ' ', sizeof line);
    for (int p = 0; p < chart->point_count; p++) {
        const char *label = chart->points[p].label;
        const int length = (int)strlen(label), last = x->cells - length;
        int at = cell_of(x, chart->points[p].x) - length / 2;
        at = at > last ? last : at;
        at = at < 0 ? 0 : at;
        if (at <= end || last < 0)
            continue;
        memcpy(line + at, label, (size_t)length);
        end = at + length;
    }
    fprintf(stream, "%*s%.*s\n", indent, "", end < 0 ? 0 : end, line);
}

/* Prints the rows from the top, each with its mark. */
static void put_rows(const struct axis *y, int width, char rows[LAB_CHART_LINES][WIDEST], int cells,
                     FILE *stream)
{
    char marks[LAB_CHART_LINES][MARK_BYTES] = {""};
    for (double value = y->first; value <= y->last * (1.0 + 1e-9); value = next_mark(y, value))
        if (!marks[cell_of(y, value)][0])
            snprintf(marks[cell_of(y, value)], MARK_BYTES, "%g", value);
    for (int row = y->cells - 1; row >= 0; row--) {
        int end = cells;
        while (end > 0 && rows[row][end - 1] == ' ')
            end--;
        fprintf(stream, "%*s |%.*s\n", width, marks[row], end, rows[row]);
    }
}

static int width_of_marks(const struct axis *y)
{
    int width = 1;
    for (double value = y->first; value <= y->last * (1.0 + 1e-9); value = next_mark(y, value)) {
        const int own = snprintf(NULL, 0, "%g", value);
        width = own > width ? own : width;
    }
    return width < MARK_BYTES ? width : MARK_BYTES - 1;
}

static int columns_for(FILE *stream)
{
    const int columns = lab_columns_of(stream);
    if (!columns)
        return USUAL;
    return columns > WIDEST ? WIDEST : columns < NARROWEST ? NARROWEST : columns;
}

void lab_chart_draw(const struct lab_chart *chart, FILE *stream)
{
    char rows[LAB_CHART_LINES][WIDEST];
    const int columns = columns_for(stream);
    struct axis x, y;
    if (!span(chart, &x, &y))
        return;
    const int width = width_of_marks(&y);
    x.cells = columns - width - 2;
    /* The title, the axis and its labels; a star may add a line to the legend. */
    y.cells = LAB_CHART_LINES - 3 - put_legend(chart, columns, true, NULL);
    const bool any_together = put_letters(chart, &x, &y, rows);
    fprintf(stream, "\n%.*s\n", columns, chart->title);
    put_rows(&y, width, rows, x.cells, stream);
    fprintf(stream, "%*s +", width, "");
    for (int i = 0; i < x.cells; i++)
        fputc('-', stream);
    fputc('\n', stream);
    put_labels(chart, &x, width + 2, stream);
    put_legend(chart, columns, any_together, stream);
}

void lab_chart_send(const struct lab_chart *chart, const char *name, const char *format,
                    FILE *gnuplot)
{
    const char *const quote = chart->x_is_log ? "" : "\""; /* the label is then no number */
    fprintf(gnuplot, "set datafile missing '?'\n$%s << END\n", name);
    for (int p = 0; p < chart->point_count; p++) {
        fprintf(gnuplot, "%s%s%s", quote, chart->points[p].label, quote);
        for (int s = 0; s < chart->series_count; s++) {
            fputc(' ', gnuplot);
            if (isnan(chart->points[p].values[s]))
                fputc('?', gnuplot);
            else
                fprintf(gnuplot, format, chart->points[p].values[s]);
        }
        fputc('\n', gnuplot);
    }
    fputs("END\n", gnuplot);
}
