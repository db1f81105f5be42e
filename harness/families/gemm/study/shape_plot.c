/* A plot for each figure of the shape study, from the grid that its table is printed from. */
#include "families/gemm/study/shape_figures.h"
#include "families/gemm/study/shape_table.h"
#include "report/chart.h"
#include "report/plot.h"

#include <string.h>

/* A chart of a grid, with its points side by side. */
static struct lab_chart chart_of(const struct gemm_grid *grid, const struct lab_sweep *sweep)
{
    struct lab_chart chart = {.y_is_log = grid->logarithmic,
                              .series_count = grid->series_count,
                              .point_count = grid->point_count};
    snprintf(chart.title, sizeof chart.title, "%s over %s, m = n = k = %d%s", grid->title,
             grid->axis, lab_sweep_size(sweep->runs[sweep->count - 1], "n"),
             sweep->is_sim ? " (simulated)" : "");
    for (int s = 0; s < grid->series_count; s++)
        chart.series[s] = grid->series[s];
    for (int p = 0; p < grid->point_count; p++) {
        chart.points[p].x = p;
        snprintf(chart.points[p].label, sizeof chart.points[p].label, "%s", grid->points[p]);
        memcpy(chart.points[p].values, grid->values[p], sizeof grid->values[p]);
    }
    return chart;
}

static void plot_figure(const struct lab_sweep *sweep, const void *what, const char *file,
                        FILE *gnuplot)
{
    const struct gemm_grid *grid = what;
    const struct lab_chart chart = chart_of(grid, sweep);
    lab_chart_send(&chart, "grid", "%.6g", gnuplot);
    fprintf(gnuplot,
            "set terminal svg size 900,480 font 'Helvetica,12' background 'white'\nset output "
            "'%s'\nset grid\n",
            file);
    fprintf(gnuplot,
            "%sset format y '%%g'\nset xlabel '%s'\nset offsets 0.3, 0.3, 0, 0\nset title '%s, "
            "m = n = k = %d%s'\nset key outside top center horizontal noenhanced\nset title "
            "noenhanced\nplot",
            grid->logarithmic ? "set logscale y\n" : "set yrange [0:*]\n", grid->axis, grid->title,
            lab_sweep_size(sweep->runs[sweep->count - 1], "n"),
            sweep->is_sim ? " (simulated)" : "");
    for (int s = 0; s < grid->series_count; s++)
        fprintf(gnuplot, "%s $grid using %d:xtic(1) with linespoints title '%s'", s ? "," : "",
                s + 2, grid->series[s]);
    fputc('\n', gnuplot);
}

void lab_sweep_shapes_plot(const struct lab_sweep *sweep, FILE *stream)
{
    enum { DRAWN = 7 };
    const struct lab_result *last = sweep->runs[sweep->count - 1];
    struct gemm_grid grid;
    char name[16];
    if (!lab_plot_can(sweep, stream))
        return;
    gemm_grid_make(DRAWN, last, &grid);
    const struct lab_chart chart = chart_of(&grid, sweep);
    lab_chart_draw(&chart, stream);
    for (int number = 1; number <= GEMM_FIGURES; number++) {
        gemm_grid_make(number, last, &grid);
        snprintf(name, sizeof name, "figure%d", number);
        if (gemm_grid_has_values(&grid))
            lab_plot_file(sweep, plot_figure, &grid, name, stream);
    }
}
