/* What a run of family apsp says of the graph: how far apart its vertices are, and a path. */
#include "families/apsp/apsp.h"

#include "base/processes.h"
#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 8 }; /* eccentric vertices that are named, at most */

/* Adds to the text, or leaves it as it is if there is no memory. */
static void say(struct lab_conclusion *conclusion, const char *format, ...)
{
    char *more = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&more, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : realloc(conclusion->text, conclusion->length + length + 1);
    if (text) {
        memcpy(text + conclusion->length, more, length + 1);
        conclusion->text = text;
        conclusion->length += length;
    }
    if (length >= 0)
        free(more);
}

static void note_figure(struct lab_conclusion *conclusion, const char *name, double value)
{
    conclusion->figures[conclusion->figure_count++] = (struct lab_factor){name, value};
}

/* Over all pairs of two vertices. The eccentricity of a vertex is the largest distance from it. */
struct summary {
    double pairs, sum, diameter, radius;
    int from, to; /* a pair with the largest distance */
    double *eccentricity;
};

static void add_row(const struct apsp *p, int i, struct summary *s)
{
    double largest = -1.0;
    for (int j = 0; j < p->n; j++) {
        const double d = apsp_shown(p, p->row_values[j]);
        if (j == i || isinf(p->row_values[j]))
            continue;
        s->pairs++;
        s->sum += d;
        if (d > largest)
            largest = d;
        if (d > s->diameter || s->pairs == 1) {
            s->diameter = d;
            s->from = i;
            s->to = j;
        }
    }
    s->eccentricity[i] = largest;
    if (largest >= 0.0 && (s->radius < 0.0 || largest < s->radius))
        s->radius = largest;
}

static void say_eccentric(const struct apsp *p, const struct summary *s,
                          struct lab_conclusion *conclusion)
{
    int count = 0;
    say(conclusion, "eccentric vertices:");
    for (int i = 0; i < p->n; i++)
        if (s->eccentricity[i] == s->diameter && count++ < NAMED)
            say(conclusion, " %lld", lab_graph_label(&p->graph, i));
    if (count > NAMED)
        say(conclusion, " and %d more", count - NAMED);
    say(conclusion, "; the least eccentricity is %.9g\n", s->radius);
}

static void say_summary(const struct apsp *p, const struct summary *s,
                        struct lab_conclusion *conclusion)
{
    const double all = (double)p->n * (p->n - 1.0);
    say(conclusion, "reachable pairs: %.0f of %.0f", s->pairs, all);
    note_figure(conclusion, "reachable_pairs", s->pairs);
    if (s->pairs == 0.0) {
        say(conclusion, "\n");
        return;
    }
    if (p->semiring == LAB_APSP_OR_AND) {
        say(conclusion, "\n");
        return;
    }
    if (p->semiring == LAB_APSP_MAX_PLUS) {
        say(conclusion, "; mean length %.6g; the longest path is %.9g long, from %lld to %lld\n",
            s->sum / s->pairs, s->diameter, lab_graph_label(&p->graph, s->from),
            lab_graph_label(&p->graph, s->to));
        note_figure(conclusion, "mean_length", s->sum / s->pairs);
        note_figure(conclusion, "longest_path", s->diameter);
        return;
    }
    say(conclusion, "; mean distance %.6g; diameter %.9g, from %lld to %lld\n", s->sum / s->pairs,
        s->diameter, lab_graph_label(&p->graph, s->from), lab_graph_label(&p->graph, s->to));
    note_figure(conclusion, "mean_distance", s->sum / s->pairs);
    note_figure(conclusion, "diameter", s->diameter);
    note_figure(conclusion, "radius", s->radius);
    say_eccentric(p, s, conclusion);
}

/* Why there are fewer arcs than were asked for, or than the file has. */
static void say_left_out(const struct apsp *p, struct lab_conclusion *conclusion)
{
    const struct lab_graph *graph = &p->graph;
    if (graph->loops + graph->duplicates == 0)
        return;
    say(conclusion, "arcs left out: %zu from a vertex to itself, %zu beside one no %s\n",
        graph->loops, graph->duplicates, p->semiring == LAB_APSP_MAX_PLUS ? "shorter" : "longer");
    note_figure(conclusion, "loops", (double)graph->loops);
    note_figure(conclusion, "duplicates", (double)graph->duplicates);
}

static int summarise(struct apsp *p, struct lab_conclusion *conclusion)
{
    struct summary s = {.radius = -1.0};
    s.eccentricity = malloc(p->n * sizeof *s.eccentricity);
    cudaError_t status = s.eccentricity ? cudaSuccess : cudaErrorMemoryAllocation;
    for (int i = 0; i < p->n && status == cudaSuccess; i++) {
        status = apsp_fetch_row(p, i);
        if (status == cudaSuccess)
            add_row(p, i, &s);
    }
    if (status == cudaSuccess)
        say_summary(p, &s, conclusion);
    free(s.eccentricity);
    return status == cudaSuccess ? LAB_EXIT_OK
                                 : lab_complain(LAB_EXIT_FAILED, "reading the distances: %s",
                                                cudaGetErrorString(status));
}

static int say_path(struct apsp *p, struct lab_conclusion *conclusion)
{
    const struct apsp_options *options = p->own;
    const int from = lab_graph_vertex(&p->graph, options->from);
    const int to = lab_graph_vertex(&p->graph, options->to);
    int at = from, steps = 0;
    cudaError_t status = apsp_fetch_row(p, from);
    if (status == cudaSuccess && isinf(p->row_values[to])) {
        say(conclusion, "there is no path from %lld to %lld\n", options->from, options->to);
        return LAB_EXIT_OK;
    }
    say(conclusion, "%.9g from %lld to %lld: %lld", p->row_values[to], options->from, options->to,
        options->from);
    while (status == cudaSuccess && at != to && at >= 0 && steps++ < p->n) {
        const int *next = (const int *)p->problem->buffers[APSP_NEXT].data + (size_t)at * p->n + to;
        status = cudaMemcpy(&at, next, sizeof at, cudaMemcpyDeviceToHost);
        if (status == cudaSuccess && at >= 0)
            say(conclusion, " -> %lld", lab_graph_label(&p->graph, at));
    }
    say(conclusion, "\n");
    return status == cudaSuccess
               ? LAB_EXIT_OK
               : lab_complain(LAB_EXIT_FAILED, "reading the path: %s", cudaGetErrorString(status));
}

/* --- all of it ---------------------------------------------------------------------------------*/

/* The result of the last variant; launches it again if timing has changed the result. */
static cudaError_t refresh(struct lab_problem *p)
{
    cudaError_t status = p->is_right ? cudaSuccess : lab_problem_reset(p);
    if (!p->is_right && status == cudaSuccess)
        status = lab_problem_launch(p);
    return status == cudaSuccess ? cudaStreamSynchronize(p->stream) : status;
}

int apsp_conclude(struct lab_problem *problem, struct lab_conclusion *conclusion)
{
    struct apsp *p = problem->state;
    const struct apsp_options *options = p->own;
    say_left_out(p, conclusion);
    if (p->negative_vertex >= 0) {
        say(conclusion, "a cycle of %s length passes through vertex %lld\n",
            p->semiring == LAB_APSP_MAX_PLUS ? "positive" : "negative",
            lab_graph_label(&p->graph, p->negative_vertex));
        note_figure(conclusion, "negative_cycle_vertex",
                    (double)lab_graph_label(&p->graph, p->negative_vertex));
        return LAB_EXIT_OK;
    }
    if (!p->problem->step || refresh(p->problem) != cudaSuccess)
        return LAB_EXIT_OK; /* the verdicts on the variants say why */
    int status = summarise(p, conclusion);
    if (status == LAB_EXIT_OK && options->has_ends)
        status = say_path(p, conclusion);
    if (status == LAB_EXIT_OK && options->out)
        status = apsp_write_distances(p, options->out);
    if (status == LAB_EXIT_OK && options->next)
        status = apsp_write_next(p, options->next);
    return status;
}

/* --- the host ----------------------------------------------------------------------------------*/

/* What the host may take for one graph, in milliseconds. */
static const double MOST_HOST_MS = 30e3;

static void note(struct lab_conclusion *conclusion, const char *name, double value)
{
    if (value > 0.0 && conclusion->figure_count < LAB_MAX_FIGURES)
        conclusion->figures[conclusion->figure_count++] = (struct lab_factor){name, value};
}

void apsp_note_host(const struct lab_options *options, struct lab_conclusion *conclusion)
{
    const struct apsp_options *own = lab_own_options(options, &lab_apsp_options);
    const int n = options->problem.sizes['n' - 'a'];
    const struct lab_graph_request request = {.generator = own->generator,
                                              .n = n,
                                              .arcs = (long long)(own->degree * n),
                                              .low = own->low,
                                              .high = own->high,
                                              .seed = options->problem.seed};
    struct lab_graph graph;
    if (lab_graph_generate(&request, &graph) == LAB_EXIT_OK &&
        lab_graph_finish(&graph) == LAB_EXIT_OK && graph.least >= 0.0) {
        if (lab_host_dijkstra_estimate(&graph) <= MOST_HOST_MS)
            note(conclusion, "host_dijkstra_ms", lab_host_dijkstra_ms(&graph));
        if (lab_host_floyd_warshall_estimate(&graph) <= MOST_HOST_MS)
            note(conclusion, "host_floyd_warshall_ms", lab_host_floyd_warshall_ms(&graph));
        note(conclusion, "host_cores", lab_shares_of_cores());
    }
    lab_graph_release(&graph);
}
