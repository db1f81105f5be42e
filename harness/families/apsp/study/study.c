/* The study of the generalized GEMM paper: n = 64 to 8192, with 1/10, 1 and 10 arcs for each
 * vertex. It stops earlier on the simulator, where large graphs would take hours. The host's own
 * times are shown as well, where they take seconds at most. */
#include "run/study.h"
#include "families/apsp/options.h"
#include "families/apsp/host_times.h"
#include "base/shares.h"
#include "families/apsp/study/table.h"
#include "base/progress.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST = 64, LAST_ON_GPU = 8192, LAST_ON_SIM = 256, REPS = 3 };

/* What the host may take for one graph, in milliseconds. */
static const double MOST_HOST_MS = 30e3;

static int size_of(const struct lab_options *options)
{
    return options->problem.sizes['n' - 'a'];
}

static double degree_of(const struct lab_options *options)
{
    const struct apsp_options *own = lab_own_options(options, &lab_apsp_options);
    return own->degree;
}

static void note(struct lab_result *run, const char *name, double value)
{
    struct lab_conclusion *c = &run->conclusion;
    if (value > 0.0 && c->figure_count < LAB_MAX_FIGURES)
        c->figures[c->figure_count++] = (struct lab_factor){name, value};
}

/* Times the host on the same graph as the run's. */
static void time_host(const struct lab_options *options, struct lab_result *run)
{
    const struct apsp_options *own = lab_own_options(options, &lab_apsp_options);
    const double arcs = own->degree * size_of(options);
    const struct lab_graph_request request = {.generator = own->generator,
                                              .n = size_of(options),
                                              .arcs = (long long)arcs,
                                              .low = own->low,
                                              .high = own->high,
                                              .seed = options->problem.seed};
    struct lab_graph graph;
    if (lab_graph_generate(&request, &graph) == LAB_EXIT_OK &&
        lab_graph_finish(&graph) == LAB_EXIT_OK && graph.least >= 0.0) {
        if (lab_host_dijkstra_estimate(&graph) <= MOST_HOST_MS)
            note(run, "host_dijkstra_ms", lab_host_dijkstra_ms(&graph));
        if (lab_host_floyd_warshall_estimate(&graph) <= MOST_HOST_MS)
            note(run, "host_floyd_warshall_ms", lab_host_floyd_warshall_ms(&graph));
        note(run, "host_cores", lab_shares_of_cores());
    }
    lab_graph_release(&graph);
}

static void note_paper(const struct lab_options *options, struct lab_result *run)
{
    const struct lab_apsp_paper *paper = lab_apsp_paper_find(size_of(options));
    const int ratio = lab_apsp_ratio_of(degree_of(options));
    if (!paper || ratio < 0)
        return;
    note(run, "paper_floyd_warshall_ms", paper->floyd_warshall[ratio]);
    note(run, "paper_min_plus_ms", paper->min_plus[ratio]);
}

static int take_run(const struct lab_options *options, const struct lab_run_plan *plan,
                    struct lab_sweep *sweep)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rn = %d, %g arcs for each vertex \033[K\n", size_of(options),
                degree_of(options));
    int status = lab_study_take(options, plan, sweep);
    if (status == LAB_EXIT_OK) {
        struct lab_progress_line progress;
        lab_progress_begin(&progress, false, "timing the host");
        time_host(options, sweep->runs[sweep->count - 1]);
        lab_progress_end(&progress);
        note_paper(options, sweep->runs[sweep->count - 1]);
    }
    return status;
}

static int take_runs(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_sweep *sweep)
{
    struct lab_options one = *options;
    const int given = size_of(options), first = given ? given : FIRST;
    const int last = given ? given : sweep->is_sim ? LAST_ON_SIM : LAST_ON_GPU;
    int status = LAB_EXIT_OK;
    one.without_host = true;
    one.reps = options->reps ? options->reps : REPS;
    for (int n = first; n <= last && status == LAB_EXIT_OK; n *= 2)
        for (int i = 0; i < APSP_RATIOS && status == LAB_EXIT_OK; i++) {
            struct lab_options with_degree = one;
            with_degree.problem.sizes['n' - 'a'] = n;
            lab_give_own_option(&with_degree, &lab_apsp_options, "degree", lab_apsp_ratio_names[i]);
            status = take_run(&with_degree, plan, sweep);
        }
    return status;
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    lab_sweep_apsp_print(sweep, stdout);
    if (sweep->is_sim && !size_of(options))
        printf("\non the simulator n ends at %d, in place of %d; -n gives another\n", LAST_ON_SIM,
               LAST_ON_GPU);
}

const struct lab_study lab_apsp_study = {NULL, take_runs, print, lab_sweep_apsp_plot, NULL};
