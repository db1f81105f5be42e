/* Graphs as lists of arcs: building, sorting, looking up. */
#include "families/apsp/graph/graph.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

bool lab_graph_add(struct lab_graph *graph, int from, int to, double weight)
{
    if (graph->arc_count == graph->room) {
        size_t room = graph->room ? 2 * graph->room : FIRST_ROOM;
        struct lab_arc *arcs = realloc(graph->arcs, room * sizeof *arcs);
        if (!arcs)
            return false;
        graph->arcs = arcs;
        graph->room = room;
    }
    graph->arcs[graph->arc_count++] = (struct lab_arc){from, to, weight};
    return true;
}

static int by_ends_then_weight(const void *one, const void *other)
{
    const struct lab_arc *a = one, *b = other;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->weight < b->weight ? -1 : a->weight > b->weight;
}

/* Of arcs with the same ends keeps the first, which has the least weight. */
static void drop_superfluous(struct lab_graph *graph)
{
    size_t kept = 0;
    for (size_t i = 0; i < graph->arc_count; i++) {
        const struct lab_arc *arc = &graph->arcs[i], *last = &graph->arcs[kept - (kept > 0)];
        if (arc->from == arc->to)
            graph->loops++;
        else if (kept && last->from == arc->from && last->to == arc->to)
            graph->duplicates++;
        else
            graph->arcs[kept++] = *arc;
    }
    graph->arc_count = kept;
}

int lab_graph_finish(struct lab_graph *graph)
{
    if (graph->arc_count)
        qsort(graph->arcs, graph->arc_count, sizeof *graph->arcs, by_ends_then_weight);
    drop_superfluous(graph);
    graph->first = calloc((size_t)graph->n + 1, sizeof *graph->first);
    if (!graph->first)
        return lab_complain(LAB_EXIT_USAGE, "no memory on the host for %d vertices", graph->n);
    graph->whole = true;
    for (size_t i = 0; i < graph->arc_count; i++) {
        const struct lab_arc *arc = &graph->arcs[i];
        graph->first[arc->from + 1]++;
        graph->whole &= floor(arc->weight) == arc->weight;
        if (i == 0 || arc->weight < graph->least)
            graph->least = arc->weight;
        if (i == 0 || arc->weight > graph->largest)
            graph->largest = arc->weight;
    }
    for (int v = 0; v < graph->n; v++)
        graph->first[v + 1] += graph->first[v];
    return LAB_EXIT_OK;
}

void lab_graph_release(struct lab_graph *graph)
{
    free(graph->arcs);
    free(graph->labels);
    free(graph->first);
    *graph = (struct lab_graph){0};
}

long long lab_graph_label(const struct lab_graph *graph, int vertex)
{
    return graph->labels ? graph->labels[vertex] : (long long)graph->label_base + vertex;
}

static int by_value(const void *one, const void *other)
{
    long long a = *(const long long *)one, b = *(const long long *)other;
    return a < b ? -1 : a > b;
}

int lab_graph_vertex(const struct lab_graph *graph, long long label)
{
    if (!graph->labels)
        return label >= graph->label_base && label - graph->label_base < graph->n
                   ? (int)(label - graph->label_base)
                   : -1;
    const long long *found =
        bsearch(&label, graph->labels, (size_t)graph->n, sizeof label, by_value);
    return found ? (int)(found - graph->labels) : -1;
}

static int by_ends(const void *one, const void *other)
{
    const struct lab_arc *a = one, *b = other;
    return a->to < b->to ? -1 : a->to > b->to;
}

double lab_graph_weight(const struct lab_graph *graph, int from, int to)
{
    const struct lab_arc key = {from, to, 0.0};
    const size_t first = graph->first[from], count = graph->first[from + 1] - first;
    if (count == 0)
        return INFINITY;
    const struct lab_arc *found =
        bsearch(&key, graph->arcs + first, count, sizeof *graph->arcs, by_ends);
    return found ? found->weight : (double)INFINITY;
}
