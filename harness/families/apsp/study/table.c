/* Table 1 of the generalized GEMM paper, with the paper's values beside: Floyd-Warshall, a launch
 * for each k, against repeated products, over sizes and densities. */
#include "families/apsp/study/table.h"

#include "report/chart.h"
#include "report/plot.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const double ratios[APSP_RATIOS] = {0.1, 1.0, 10.0};
const char *const lab_apsp_ratio_names[APSP_RATIOS] = {"0.1", "1", "10"};

static const struct lab_apsp_paper paper[] = {
    {64, {1.28, 1.3, 1.4}, {0.49, 0.72, 0.74}},
    {128, {2.49, 2.53, 2.81}, {0.75, 1.13, 1.27}},
    {256, {5.5, 5.6, 8}, {1.45, 2.12, 3}},
    {512, {14, 14, 40}, {5.73, 8.45, 15}},
    {1024, {41, 42.6, 275}, {30, 43, 102}},
    {2048, {136, 157, 1525}, {191, 262, 816}},
    {4096, {508, 659, 8514}, {1480, 1896, 6877}},
    {8192, {2067, 3012, 51949}, {13901, 19661, 58736}},
};

const struct lab_apsp_paper *lab_apsp_paper_find(int n)
{
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++)
        if (paper[i].n == n)
            return &paper[i];
    return NULL;
}

int lab_apsp_ratio_of(double degree)
{
    for (int i = 0; i < APSP_RATIOS; i++)
        if (fabs(degree - ratios[i]) < 1e-9)
            return i;
    return -1;
}

/* A figure of a run's conclusion by its name; 0: the run has no such figure. */
static double figure_of(const struct lab_result *run, const char *name)
{
    for (int i = 0; i < run->conclusion.figure_count; i++)
        if (strcmp(run->conclusion.figures[i].name, name) == 0)
            return run->conclusion.figures[i].value;
    return 0.0;
}

static double time_of(const struct lab_result *run, const char *row)
{
    const struct lab_row *found = lab_sweep_row(run, row);
    return found && lab_result_timed(found) ? found->time.median : 0.0;
}

/* --- a table: a line for each size, groups of a column for each ratio --------------------------*/

enum { WIDTH = 10, MOST_GROUPS = 4 };

/* The values of a group; the winner of two groups is marked. */
struct group {
    const char *title;
    double values[APSP_RATIOS];
};

static void print_value(FILE *stream, double value, bool wins)
{
    char text[32] = "";
    const bool bold = wins && isatty(fileno(stream));
    if (value > 0.0)
        snprintf(text, sizeof text, value < 10.0 ? "%.4f%s" : "%.1f%s", value,
                 wins && !bold ? "*" : "");
    fprintf(stream, "%s%*s%s", bold ? "\033[1m" : "", WIDTH, text, bold ? "\033[0m" : "");
}

/* Rivals are groups 0 and 1, and groups 2 and 3 if there are four. */
static void print_line(FILE *stream, int n, const struct group *groups, int count, bool rivals)
{
    fprintf(stream, "%6d", n);
    for (int g = 0; g < count; g++) {
        fputs(g ? " |" : "", stream);
        for (int i = 0; i < APSP_RATIOS; i++) {
            const double own = groups[g].values[i], other = rivals ? groups[g ^ 1].values[i] : 0.0;
            print_value(stream, own, rivals && own > 0.0 && (other <= 0.0 || own < other));
        }
    }
    fputc('\n', stream);
}

static void print_titles(FILE *stream, const struct group *groups, int count)
{
    fprintf(stream, "%6s", "");
    for (int g = 0; g < count; g++)
        fprintf(stream, "%s%*s", g ? " |" : "", WIDTH * APSP_RATIOS, groups[g].title);
    fprintf(stream, "\n%6s", "n");
    for (int g = 0; g < count; g++) {
        fputs(g ? " |" : "", stream);
        for (int i = 0; i < APSP_RATIOS; i++)
            fprintf(stream, "%*g", WIDTH, ratios[i]);
    }
    fputc('\n', stream);
}

static void fill_rows(const struct lab_sweep *sweep, int first, const char *row,
                      struct group *group)
{
    for (int i = 0; i < APSP_RATIOS; i++)
        group->values[i] = time_of(sweep->runs[first + i], row);
}

static void fill_paper(int n, struct group *floyd_warshall, struct group *min_plus)
{
    const struct lab_apsp_paper *theirs = lab_apsp_paper_find(n);
    for (int i = 0; theirs && i < APSP_RATIOS; i++) {
        floyd_warshall->values[i] = theirs->floyd_warshall[i];
        min_plus->values[i] = theirs->min_plus[i];
    }
}

static void fill_figure(const struct lab_sweep *sweep, int first, const char *name,
                        struct group *group)
{
    for (int i = 0; i < APSP_RATIOS; i++)
        group->values[i] = figure_of(sweep->runs[first + i], name);
}

void lab_sweep_apsp_print(const struct lab_sweep *sweep, FILE *stream)
{
    fprintf(stream,
            "table 1: shortest paths, ms%s; arcs for each vertex 0.1, 1, 10; the faster of the two "
            "%s\n\n",
            sweep->is_sim ? ", modelled from the counters, not measured" : "",
            isatty(fileno(stream)) ? "is bold" : "has a *");
    for (int r = 0; r + APSP_RATIOS <= sweep->count; r += APSP_RATIOS) {
        struct group groups[] = {{"floyd_warshall", {0}},
                                 {"min_plus", {0}},
                                 {"paper, Floyd-Warshall", {0}},
                                 {"paper, matrix multiply", {0}}};
        const int n = lab_sweep_size(sweep->runs[r], "n");
        fill_rows(sweep, r, "floyd_warshall", &groups[0]);
        fill_rows(sweep, r, "min_plus", &groups[1]);
        fill_paper(n, &groups[2], &groups[3]);
        if (r == 0)
            print_titles(stream, groups, 4);
        print_line(stream, n, groups, 4, true);
    }
    fprintf(stream,
            "\nFloyd-Warshall in blocks, and %g cores of the host (Dijkstra from every vertex, "
            "Floyd-Warshall in blocks), ms\n\n",
            sweep->count ? figure_of(sweep->runs[0], "host_cores") : 0.0);
    for (int r = 0; r + APSP_RATIOS <= sweep->count; r += APSP_RATIOS) {
        struct group groups[] = {{"floyd_warshall_blocked", {0}},
                                 {"host, Dijkstra", {0}},
                                 {"host, Floyd-Warshall", {0}}};
        fill_rows(sweep, r, "floyd_warshall_blocked", &groups[0]);
        fill_figure(sweep, r, "host_dijkstra_ms", &groups[1]);
        fill_figure(sweep, r, "host_floyd_warshall_ms", &groups[2]);
        if (r == 0)
            print_titles(stream, groups, 3);
        print_line(stream, lab_sweep_size(sweep->runs[r], "n"), groups, 3, false);
    }
}

/* --- plot --------------------------------------------------------------------------------------*/

static void plot_times(const struct lab_sweep *sweep, const void *chart, const char *file,
                       FILE *gnuplot)
{
    lab_chart_send(chart, "times", "%g", gnuplot);
    fprintf(gnuplot,
            "set terminal svg size 900,480 font 'Helvetica,12' background 'white'\nset output "
            "'%s'\nset logscale x 2\nset logscale y\nset format y '%%g'\nset grid\n"
            "set xlabel 'vertices'\nset ylabel 'ms%s'\nset title 'Shortest paths, 10 arcs for each "
            "vertex'\nset key outside top center horizontal noenhanced\n"
            "plot $times using 1:2 with linespoints title 'floyd_warshall', '' using 1:3 with "
            "linespoints title 'floyd_warshall_blocked', '' using 1:4 with linespoints title "
            "'min_plus', '' using 1:5 with linespoints dashtype 2 title 'paper, Floyd-Warshall', "
            "'' using 1:6 with linespoints dashtype 2 title 'paper, matrix multiply', '' using 1:7 "
            "with linespoints dashtype 3 title 'host, Dijkstra'\n",
            file, sweep->is_sim ? " (modelled)" : "");
}

/* A chart at the largest ratio: one point for each size. */
static struct lab_chart chart_of(const struct lab_sweep *sweep)
{
    struct lab_chart chart = {.x_is_log = true,
                              .y_is_log = true,
                              .series_count = 6,
                              .series = {"floyd_warshall", "floyd_warshall_blocked", "min_plus",
                                         "paper, Floyd-Warshall", "paper, matrix multiply",
                                         "host, Dijkstra"}};
    snprintf(chart.title, sizeof chart.title, "ms%s over vertices, 10 arcs for each vertex",
             sweep->is_sim ? " (modelled)" : "");
    for (int r = APSP_RATIOS - 1; r < sweep->count; r += APSP_RATIOS) {
        const struct lab_result *run = sweep->runs[r];
        const struct lab_apsp_paper *theirs = lab_apsp_paper_find(lab_sweep_size(run, "n"));
        struct lab_chart_point *point = &chart.points[chart.point_count++];
        for (int i = 0; i < 3; i++)
            point->values[i] = time_of(run, chart.series[i]);
        point->values[3] = theirs ? theirs->floyd_warshall[APSP_RATIOS - 1] : 0.0;
        point->values[4] = theirs ? theirs->min_plus[APSP_RATIOS - 1] : 0.0;
        point->values[5] = figure_of(run, "host_dijkstra_ms");
        for (int i = 0; i < chart.series_count; i++)
            point->values[i] = point->values[i] > 0.0 ? point->values[i] : NAN;
        point->x = lab_sweep_size(run, "n");
        snprintf(point->label, sizeof point->label, "%g", point->x);
    }
    return chart;
}

void lab_sweep_apsp_plot(const struct lab_sweep *sweep, FILE *stream)
{
    if (!lab_plot_can(sweep, stream))
        return;
    const struct lab_chart chart = chart_of(sweep);
    lab_chart_draw(&chart, stream);
    lab_plot_file(sweep, plot_times, &chart, "table1", stream);
}
