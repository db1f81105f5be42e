/* The tables and the plot of GFLOPS over size. A missing value is left empty, never 0. */
#include "families/gemm/study/table.h"

#include "report/chart.h"
#include "report/plot.h"

#include <math.h>
#include <string.h>

enum { NARROWEST = 9, SIZE_BYTES = 48 };

/* --- figures -----------------------------------------------------------------------------------*/

/* "512", or "512 x 64 x 32" if the sizes differ. Returns whether they are equal, as in all runs. */
static bool put_size(const struct lab_result *run, char text[SIZE_BYTES])
{
    const int m = lab_sweep_size(run, "m"), n = lab_sweep_size(run, "n"),
              k = lab_sweep_size(run, "k");
    const bool is_cube = m == n && n == k;
    if (is_cube)
        snprintf(text, SIZE_BYTES, "%d", n);
    else
        snprintf(text, SIZE_BYTES, "%d x %d x %d", m, n, k);
    return is_cube;
}

/* 0: the result was wrong, or has no time. */
static double gflops(const struct lab_result *run, const struct lab_row *row)
{
    return row->check.status == LAB_CHECK_OK ? lab_result_gflops(run, row) : 0.0;
}

/* The row that speeds are compared with: the library, or the first stage of the series where the
 * library's work is not simulated. */
static const struct lab_row *base_of(const struct lab_result *run)
{
    const struct lab_row *reference = lab_result_reference(run);
    return reference ? reference : lab_result_first(run);
}

static double of_base(const struct lab_result *run, const struct lab_row *row)
{
    const struct lab_row *base = base_of(run);
    const double speed = base ? gflops(run, base) : 0.0;
    return speed > 0.0 ? gflops(run, row) / speed : 0.0;
}

/* --- tables ------------------------------------------------------------------------------------*/

typedef double figure_fn(const struct lab_result *run, const struct lab_row *row);

static int size_width(const struct lab_sweep *sweep)
{
    char text[SIZE_BYTES];
    int width = NARROWEST;
    for (int r = 0; r < sweep->count; r++) {
        put_size(sweep->runs[r], text);
        width = (int)strlen(text) > width ? (int)strlen(text) : width;
    }
    return width;
}

static int row_width(const struct lab_row *row)
{
    const int width = (int)strlen(row->name);
    return width > NARROWEST ? width : NARROWEST;
}

/* All runs have the same rows. */
static void print_table(const struct lab_sweep *sweep, figure_fn *figure, const char *format,
                        FILE *stream)
{
    const struct lab_result *first = sweep->runs[0];
    const int width = size_width(sweep);
    char size[SIZE_BYTES];
    fprintf(stream, "%*s", width, put_size(first, size) ? "m = n = k" : "m x n x k");
    for (int i = 0; i < first->row_count; i++)
        fprintf(stream, "  %*s", row_width(&first->rows[i]), first->rows[i].name);
    fputc('\n', stream);
    for (int r = 0; r < sweep->count; r++) {
        const struct lab_result *run = sweep->runs[r];
        put_size(run, size);
        fprintf(stream, "%*s", width, size);
        for (int i = 0; i < run->row_count; i++) {
            const double value = figure(run, &run->rows[i]);
            lab_sweep_put_cell(stream, row_width(&first->rows[i]), format,
                               value > 0.0 ? value : NAN);
        }
        fputc('\n', stream);
    }
}

/* The runs from the i-th on that have its form and type; such runs are consecutive. */
static struct lab_sweep group_at(const struct lab_sweep *sweep, int i)
{
    struct lab_sweep group = *sweep;
    const struct lab_problem_facts *first = &sweep->runs[i]->facts;
    for (group.count = 0; i < sweep->count && sweep->runs[i]->facts.form == first->form &&
                          sweep->runs[i]->facts.type == first->type;
         i++)
        group.runs[group.count++] = sweep->runs[i];
    return group;
}

/* The mean of a row's ratios over all sizes, or the least; 0 if a ratio is missing. */
static double over_all(const struct lab_sweep *sweep, int row, bool least)
{
    double sum = 0.0, lowest = INFINITY;
    for (int r = 0; r < sweep->count; r++) {
        const double ratio = of_base(sweep->runs[r], &sweep->runs[r]->rows[row]);
        sum += log(ratio); /* log(0) is -infinity, which makes the mean 0 */
        lowest = fmin(lowest, ratio);
    }
    return least ? lowest : exp(sum / sweep->count);
}

static void print_over_all(const struct lab_sweep *sweep, const char *what, bool least,
                           FILE *stream)
{
    const struct lab_result *first = sweep->runs[0];
    fprintf(stream, "%*s", size_width(sweep), what);
    for (int i = 0; i < first->row_count; i++) {
        const double ratio = over_all(sweep, i, least);
        lab_sweep_put_cell(stream, row_width(&first->rows[i]), "%.2fx", ratio > 0.0 ? ratio : NAN);
    }
    fputc('\n', stream);
}

static void print_group(const struct lab_sweep *sweep, FILE *stream)
{
    const struct lab_result *first = sweep->runs[0];
    const struct lab_row *base = base_of(first);
    fprintf(stream, "\n%s%s%s %s", first->family->options->title, first->facts.form ? " " : "",
            first->facts.form ? first->facts.form : "",
            first->facts.type ? first->facts.type : first->family->type);
    for (int i = 0; i < first->facts.factor_count; i++)
        fprintf(stream, "  %s=%g", first->facts.factors[i].name, first->facts.factors[i].value);
    fprintf(stream, "\n\nGFLOPS over size%s\n",
            sweep->is_sim ? ", modelled from the counters, not measured" : "");
    print_table(sweep, gflops, "%.0f", stream);
    if (!base)
        return;
    fprintf(stream, "\ntimes the speed of %s\n", base->name);
    print_table(sweep, of_base, "%.2fx", stream);
    print_over_all(sweep, "mean", false, stream); /* geometric: these are ratios */
    print_over_all(sweep, "least", true, stream);
}

void lab_sweep_gemm_print(const struct lab_sweep *sweep, FILE *stream)
{
    lab_sweep_put_head(sweep, stream);
    fputc('\n', stream);
    struct lab_sweep group;
    for (int i = 0; i < sweep->count; i += group.count) {
        group = group_at(sweep, i);
        print_group(&group, stream);
    }
}

/* --- plot --------------------------------------------------------------------------------------*/

/* $speed: a line for each run: n, and a column for each row; ? for a missing value. */
static void send_speeds(const struct lab_sweep *sweep, FILE *gnuplot)
{
    fputs("set datafile missing '?'\n$speed << END\n", gnuplot);
    for (int r = 0; r < sweep->count; r++) {
        const struct lab_result *run = sweep->runs[r];
        fprintf(gnuplot, "%d", lab_sweep_size(run, "n"));
        for (int i = 0; i < run->row_count; i++) {
            const double value = gflops(run, &run->rows[i]);
            if (value > 0.0)
                fprintf(gnuplot, " %g", value);
            else
                fputs(" ?", gnuplot);
        }
        fputc('\n', gnuplot);
    }
    fputs("END\n", gnuplot);
}

static void plot_speeds(const struct lab_sweep *sweep, const void *none, const char *file,
                        FILE *gnuplot)
{
    (void)none;
    const struct lab_result *first = sweep->runs[0];
    char size[SIZE_BYTES];
    send_speeds(sweep, gnuplot);
    fprintf(gnuplot,
            "set terminal svg size 900,480 font 'Helvetica,12' background 'white'\nset output "
            "'%s'\nset grid\n",
            file);
    fprintf(gnuplot,
            "set logscale x 2\nset logscale y\nset format y '%%g'\nset xlabel '%s'\n"
            "set ylabel 'GFLOPS%s'\nset title '%s'\n"
            "set key outside top center horizontal noenhanced\nplot",
            put_size(first, size) ? "m = n = k" : "n", sweep->is_sim ? " (modelled)" : "",
            sweep->target);
    for (int i = 0; i < first->row_count; i++)
        fprintf(gnuplot, "%s $speed using 1:%d with linespoints%s title '%s'", i ? "," : "", i + 2,
                first->rows[i].is_baseline ? " dashtype 2" : "", first->rows[i].name);
    fputc('\n', gnuplot);
}

static void draw_speeds(const struct lab_sweep *sweep, FILE *stream)
{
    const struct lab_result *first = sweep->runs[0];
    struct lab_chart chart = {.x_is_log = true, .y_is_log = true, .point_count = sweep->count};
    char size[SIZE_BYTES];
    snprintf(chart.title, sizeof chart.title, "%s%s%s%s%s: GFLOPS%s over %s", sweep->target,
             first->facts.form ? " " : "", first->facts.form ? first->facts.form : "",
             first->facts.type ? " " : "", first->facts.type ? first->facts.type : "",
             sweep->is_sim ? " (modelled)" : "", put_size(first, size) ? "m = n = k" : "n");
    for (int i = 0; i < first->row_count && i < LAB_CHART_SERIES; i++)
        chart.series[chart.series_count++] = first->rows[i].name;
    for (int r = 0; r < sweep->count; r++) {
        const struct lab_result *run = sweep->runs[r];
        struct lab_chart_point *point = &chart.points[r];
        point->x = lab_sweep_size(run, "n");
        snprintf(point->label, sizeof point->label, "%g", point->x);
        for (int i = 0; i < run->row_count && i < chart.series_count; i++)
            point->values[i] = gflops(run, &run->rows[i]);
    }
    lab_chart_draw(&chart, stream);
}

void lab_sweep_gemm_plot(const struct lab_sweep *sweep, FILE *stream)
{
    if (!lab_plot_can(sweep, stream))
        return;
    struct lab_sweep group;
    for (int i = 0; i < sweep->count; i += group.count) {
        group = group_at(sweep, i);
        const struct lab_problem_facts *facts = &group.runs[0]->facts;
        char name[32] = "gflops";
        if (group.count < sweep->count)
            snprintf(name, sizeof name, "gflops-%s-%s", facts->form ? facts->form : "nn",
                     facts->type ? facts->type : "f32");
        if (sweep->draws || group.count == sweep->count)
            draw_speeds(&group, stream);
        lab_plot_file(&group, plot_speeds, NULL, name, stream);
    }
}
