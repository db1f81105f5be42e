/* A plot for each figure of the shape study, from the grid that its table is printed from. */
#include "families/gemm/study/shape_figures.h"
#include "families/gemm/study/shape_table.h"
#include "report/chart.h"
#include "report/plot.h"

#include <math.h>

/* $grid: a line a point: its label, and a column for each series; ? for what is missing. */
static void send_grid(const struct gemm_grid *grid, FILE *gnuplot)
{
    fputs("set datafile missing '?'\n$grid << END\n", gnuplot);
    for (int p = 0; p < grid->point_count; p++) {
        fprintf(gnuplot, "\"%s\"", grid->points[p]);
        for (int s = 0; s < grid->series_count; s++)
            if (isnan(grid->values[p][s]))
                fputs(" ?", gnuplot);
            else
                fprintf(gnuplot, " %.6g", grid->values[p][s]);
        fputc('\n', gnuplot);
    }
    fputs("END\n", gnuplot);
}

static void plot_figure(int number, const struct lab_sweep *sweep, const char *file, FILE *gnuplot)
{
    const struct lab_result *last = sweep->runs[sweep->count - 1];
    struct gemm_grid grid;
    gemm_grid_make(number, last, &grid);
    send_grid(&grid, gnuplot);
    fprintf(gnuplot,
            "set terminal svg size 900,480 font 'Helvetica,12' background 'white'\nset output "
            "'%s'\nset grid\n",
            file);
    fprintf(gnuplot,
            "%sset format y '%%g'\nset xlabel '%s'\nset offsets 0.3, 0.3, 0, 0\nset title '%s, "
            "m = n = k = %d%s'\nset key outside top center horizontal noenhanced\nset title "
            "noenhanced\nplot",
            grid.logarithmic ? "set logscale y\n" : "set yrange [0:*]\n", grid.axis, grid.title,
            lab_sweep_size(last, "n"), sweep->is_sim ? " (simulated)" : "");
    for (int s = 0; s < grid.series_count; s++)
        fprintf(gnuplot, "%s $grid using %d:xtic(1) with linespoints title '%s'", s ? "," : "",
                s + 2, grid.series[s]);
    fputc('\n', gnuplot);
}

/* What gnuplot.h calls does not say which figure it is of. */
#define FIGURE(number)                                                                             \
    static void figure##number(const struct lab_sweep *sweep, const char *file, FILE *gnuplot)     \
    {                                                                                              \
        plot_figure(number, sweep, file, gnuplot);                                                 \
    }
FIGURE(1)
FIGURE(2)
FIGURE(3)
FIGURE(4)
FIGURE(5)
FIGURE(6)
FIGURE(7)
FIGURE(8)
FIGURE(9)
FIGURE(10)

/* Its points stand side by side, as the SVG has them. */
static void draw_figure(int number, const struct lab_sweep *sweep, FILE *stream)
{
    const struct lab_result *last = sweep->runs[sweep->count - 1];
    struct gemm_grid grid;
    gemm_grid_make(number, last, &grid);
    struct lab_chart chart = {.y_is_log = grid.logarithmic,
                              .series_count = grid.series_count,
                              .point_count = grid.point_count};
    snprintf(chart.title, sizeof chart.title, "%s over %s, m = n = k = %d%s", grid.title, grid.axis,
             lab_sweep_size(last, "n"), sweep->is_sim ? " (simulated)" : "");
    for (int s = 0; s < grid.series_count; s++)
        chart.series[s] = grid.series[s];
    for (int p = 0; p < grid.point_count; p++) {
        chart.points[p].x = p;
        snprintf(chart.points[p].label, sizeof chart.points[p].label, "%s", grid.points[p]);
        for (int s = 0; s < grid.series_count; s++)
            chart.points[p].values[s] = isnan(grid.values[p][s]) ? 0.0 : grid.values[p][s];
    }
    lab_chart_draw(&chart, stream);
}

void lab_sweep_shapes_plot(const struct lab_sweep *sweep, FILE *stream)
{
    static lab_plot_fn *const figures[GEMM_FIGURES] = {
        figure1, figure2, figure3, figure4, figure5, figure6, figure7, figure8, figure9, figure10};
    if (!lab_plot_can(sweep, stream))
        return;
    draw_figure(7, sweep, stream);
    for (int i = 0; i < GEMM_FIGURES; i++) {
        struct gemm_grid grid;
        char name[16];
        gemm_grid_make(i + 1, sweep->runs[sweep->count - 1], &grid);
        snprintf(name, sizeof name, "figure%d", i + 1);
        if (gemm_grid_has_values(&grid))
            lab_plot_file(sweep, figures[i], name, stream);
    }
}
