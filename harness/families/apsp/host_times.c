/* The host's own times beside a GPU's, on all of its cores: Dijkstra from every vertex, and
 * Floyd-Warshall. They time the routines that the checks use, and throw the results away. */
#include "families/apsp/apsp.h"

#include "base/processes.h"
#include "base/time.h"

#include <math.h>
#include <stdlib.h>

/* The least that a core does in a millisecond: relaxations of Floyd-Warshall; vertices and arcs
 * that Dijkstra looks at. */
static const double RELAXED = 1.5e6, LOOKED_AT = 4e4;

double lab_host_dijkstra_estimate(const struct lab_graph *graph)
{
    return graph->n * ((double)graph->arc_count + graph->n) / LOOKED_AT / lab_shares_of_cores();
}

double lab_host_floyd_warshall_estimate(const struct lab_graph *graph)
{
    const double n = graph->n;
    return n * n * n / RELAXED / lab_shares_of_cores();
}

/* What the shares work on: each has scratch memory and a row of its own. */
struct sources {
    const struct lab_graph *graph;
    double *distance; /* (shares, n) */
    char *scratch;    /* (shares, lab_dijkstra_bytes) */
};

static void from_some(void *context, int share, int shares)
{
    const struct sources *s = context;
    const size_t bytes = lab_dijkstra_bytes(s->graph);
    for (int v = share; v < s->graph->n; v += shares)
        lab_graph_dijkstra(s->graph, NULL, v, s->distance + (size_t)share * s->graph->n,
                           s->scratch + share * bytes);
}

double lab_host_dijkstra_ms(const struct lab_graph *graph)
{
    const int shares = lab_shares_of_cores();
    struct sources s = {graph, malloc(shares * graph->n * sizeof(double)),
                        malloc(shares * lab_dijkstra_bytes(graph))};
    const double start = lab_clock_seconds();
    const bool there = s.distance && s.scratch;
    if (there)
        lab_share_out(from_some, &s, shares);
    free(s.distance);
    free(s.scratch);
    return there ? 1e3 * (lab_clock_seconds() - start) : 0.0;
}

double lab_host_floyd_warshall_ms(const struct lab_graph *graph)
{
    const size_t n = graph->n;
    double *d = malloc(n * n * sizeof *d);
    if (!d)
        return 0.0;
    for (size_t i = 0; i < n * n; i++)
        d[i] = INFINITY;
    for (size_t v = 0; v < n; v++)
        d[v * n + v] = 0.0;
    for (size_t i = 0; i < graph->arc_count; i++)
        d[graph->arcs[i].from * n + graph->arcs[i].to] = graph->arcs[i].weight;
    const double start = lab_clock_seconds();
    lab_floyd_warshall(d, graph->n, lab_shares_of_cores());
    const double end = lab_clock_seconds();
    free(d);
    return 1e3 * (end - start);
}

double lab_host_ms(const struct lab_graph *graph, double most)
{
    double best = 0.0;
    if (graph->least >= 0.0 && lab_host_dijkstra_estimate(graph) <= most)
        best = lab_host_dijkstra_ms(graph);
    if (lab_host_floyd_warshall_estimate(graph) <= most) {
        const double ms = lab_host_floyd_warshall_ms(graph);
        best = best > 0.0 && best < ms ? best : ms;
    }
    return best;
}
