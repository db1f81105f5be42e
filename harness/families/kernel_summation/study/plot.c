/* Plots of the kernel-summation study: its figures 6 and 9. */
#include "families/kernel_summation/study/layouts.h"
#include "families/kernel_summation/study/table.h"
#include "measure/timing/energy.h"
#include "report/chart.h"
#include "report/plot.h"

#include <math.h>

static void plot_speedups(const struct lab_sweep *sweep, const void *chart, const char *file,
                          FILE *gnuplot)
{
    lab_chart_send(chart, "speedup", "%.4g", gnuplot);
    fprintf(gnuplot,
            "set terminal svg size 900,420 font 'Helvetica,12' background 'white'\nset output "
            "'%s'\nset style data histograms\nset style histogram clustered\nset style fill solid "
            "0.7\n",
            file);
    fprintf(
        gnuplot,
        "set title 'Speedup over %s%s; paper: GTX 970, cuBLAS 7.0'\nset xlabel 'K, M'\n"
        "set xrange [-0.6:%d.6]\nset yrange [0:*]\nset xtics rotate by -45\nset key outside "
        "top center horizontal\nset "
        "grid ytics\n"
        "plot $speedup using 2:xtic(1) with histograms title 'fused', '' using 3 with histograms "
        "title 'fused fast', '' using 4 with histograms title 'paper, Fused', 1 with lines title "
        "'unfused'\n",
        sweep->is_sim ? "cuda unfused" : "cublas unfused", sweep->is_sim ? " (modelled)" : "",
        sweep->count - 1);
}

static struct lab_chart chart_of_speedups(const struct lab_sweep *sweep)
{
    const char *const base = lab_sweep_baseline(sweep);
    struct lab_chart chart = {.series_count = 3,
                              .point_count = sweep->count,
                              .series = {"fused", "fused_fast", "paper, Fused"}};
    snprintf(chart.title, sizeof chart.title, "speedup over %s%s, by K, M", base,
             sweep->is_sim ? " (modelled)" : "");
    for (int r = 0; r < sweep->count; r++) {
        const int k = lab_sweep_size(sweep->runs[r], "k"), m = lab_sweep_size(sweep->runs[r], "m");
        const struct lab_paper_values *theirs = lab_paper_find(k, m);
        struct lab_chart_point *point = &chart.points[r];
        point->x = r;
        snprintf(point->label, sizeof point->label, "%d, %d", k, m);
        for (int i = 0; i < 2; i++) {
            const double speedup = lab_sweep_speedup(sweep->runs[r], base, chart.series[i]);
            point->values[i] = speedup > 0.0 ? speedup : NAN;
        }
        point->values[2] = theirs ? theirs->fused_efficiency / theirs->cublas_efficiency : NAN;
    }
    return chart;
}

/* A stacked bar for each row of each run, in millijoules of a launch. */
static void plot_energy(const struct lab_sweep *sweep, const void *none, const char *file,
                        FILE *gnuplot)
{
    (void)none;
    fputs("$energy << END\n", gnuplot);
    for (int r = 0; r < sweep->count; r++)
        for (int i = 0; i < sweep->runs[r]->row_count; i++) {
            struct lab_energy_model m;
            const struct lab_row *row = &sweep->runs[r]->rows[i];
            double base = 1.0;
            const struct lab_row *unfused =
                lab_sweep_row(sweep->runs[r], lab_sweep_baseline(sweep));
            if (unfused && lab_energy_from_counters(&unfused->counters, sweep->device, &m))
                base = lab_energy_total(&m);
            if (lab_energy_from_counters(&row->counters, sweep->device, &m))
                fprintf(gnuplot, "\"%s %d, %d\" %g %g %g %g\n", row->name,
                        lab_sweep_size(sweep->runs[r], "k"), lab_sweep_size(sweep->runs[r], "m"),
                        m.arithmetic / base, m.shared / base, m.l2 / base, m.dram / base);
        }
    fprintf(gnuplot,
            "END\nset terminal svg size 1100,520 font 'Helvetica,12' background 'white'\nset "
            "output '%s'\n"
            "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.7\n"
            "set boxwidth 0.8\nset title 'Modelled energy of a launch, unfused = 1'\n"
            "set yrange [0:*]\nset xtics rotate by -60 noenhanced\nset key outside top center "
            "horizontal\nset grid ytics\n"
            "plot $energy using 2:xtic(1) title 'arithmetic', '' using 3 title 'shared memory', '' "
            "using 4 title 'L2', '' using 5 title 'DRAM'\n",
            file);
}

/* Whether a speedup was measured: the paper's values alone make no plot. */
static bool any_speedup(const struct lab_chart *chart)
{
    for (int p = 0; p < chart->point_count; p++)
        if (!isnan(chart->points[p].values[0]) || !isnan(chart->points[p].values[1]))
            return true;
    return false;
}

static bool any_modelled_energy(const struct lab_sweep *sweep)
{
    struct lab_energy_model model;
    for (int r = 0; r < sweep->count; r++)
        for (int i = 0; i < sweep->runs[r]->row_count; i++)
            if (lab_energy_from_counters(&sweep->runs[r]->rows[i].counters, sweep->device, &model))
                return true;
    return false;
}

void lab_sweep_plot(const struct lab_sweep *sweep, FILE *stream)
{
    const struct lab_sweep paper = kernel_summation_runs_of(sweep, KERNEL_SUMMATION_PAPER);
    if (!lab_plot_can(sweep, stream))
        return;
    const struct lab_chart speedups = chart_of_speedups(&paper);
    if (any_speedup(&speedups)) {
        lab_chart_draw(&speedups, stream);
        lab_plot_file(&paper, plot_speedups, &speedups, "figure6", stream);
    }
    if (any_modelled_energy(&paper))
        lab_plot_file(&paper, plot_energy, NULL, "figure9", stream);
}
