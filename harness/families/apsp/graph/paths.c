/* Shortest paths on the host, by routes that share nothing with the kernels: Dijkstra with a heap,
 * Bellman-Ford for negative weights, and Floyd-Warshall in blocks. */
#include "families/apsp/graph/graph.h"

#include "base/processes.h"
#include "base/numbers.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Dijkstra ----------------------------------------------------------------------------------*/

/* A binary heap of vertices by distance. `place`: where each vertex is; -1: not yet, -2: done. */
struct heap {
    const double *distance;
    int *vertex, *place;
    int count;
};

static void put(struct heap *heap, int at, int vertex)
{
    heap->vertex[at] = vertex;
    heap->place[vertex] = at;
}

static void rise(struct heap *heap, int at)
{
    int vertex = heap->vertex[at];
    while (at > 0 && heap->distance[vertex] < heap->distance[heap->vertex[(at - 1) / 2]]) {
        put(heap, at, heap->vertex[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(heap, at, vertex);
}

static int take_nearest(struct heap *heap)
{
    int nearest = heap->vertex[0], last = heap->vertex[--heap->count], at = 0;
    for (int child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count &&
            heap->distance[heap->vertex[child + 1]] < heap->distance[heap->vertex[child]])
            child++;
        if (heap->distance[heap->vertex[child]] >= heap->distance[last])
            break;
        put(heap, at, heap->vertex[child]);
        at = child;
    }
    put(heap, at, last);
    heap->place[nearest] = -2;
    return nearest;
}

size_t lab_dijkstra_bytes(const struct lab_graph *graph)
{
    return 2 * (size_t)graph->n * sizeof(int);
}

void lab_graph_dijkstra(const struct lab_graph *graph, const double *potential, int from,
                        double *distance, void *scratch)
{
    struct heap heap = {distance, scratch, (int *)scratch + graph->n, 1};
    for (int v = 0; v < graph->n; v++) {
        distance[v] = INFINITY;
        heap.place[v] = -1;
    }
    distance[from] = 0.0;
    put(&heap, 0, from);
    while (heap.count > 0) {
        int nearest = take_nearest(&heap);
        for (size_t i = graph->first[nearest]; i < graph->first[nearest + 1]; i++) {
            const struct lab_arc *arc = &graph->arcs[i];
            double weight = arc->weight;
            if (potential) /* rounding must not make it negative */
                weight = fmax(0.0, weight + potential[nearest] - potential[arc->to]);
            if (heap.place[arc->to] == -2 || distance[nearest] + weight >= distance[arc->to])
                continue;
            distance[arc->to] = distance[nearest] + weight;
            if (heap.place[arc->to] < 0)
                put(&heap, heap.count++, arc->to);
            rise(&heap, heap.place[arc->to]);
        }
    }
    for (int v = 0; potential && v < graph->n; v++)
        distance[v] += potential[v] - potential[from];
}

/* --- Bellman-Ford ------------------------------------------------------------------------------*/

/* Goes around a cycle once, backwards from a vertex on it. */
static struct lab_cycle measure_cycle(const struct lab_graph *graph, const int *before, int vertex)
{
    struct lab_cycle cycle = {.vertex = vertex};
    int at = vertex;
    do {
        const double weight = lab_graph_weight(graph, before[at], at);
        cycle.length += weight;
        cycle.amounts += fabs(weight);
        at = before[at];
    } while (at != vertex);
    return cycle;
}

/* If something still changes in the n-th round, n steps back lead onto a negative cycle. */
int lab_graph_potentials(const struct lab_graph *graph, double *potential, struct lab_cycle *cycle)
{
    int *before = malloc((size_t)graph->n * sizeof *before), changed = 0;
    *cycle = (struct lab_cycle){.vertex = -1};
    if (!before)
        return lab_complain(LAB_EXIT_USAGE, "no memory on the host for %d vertices", graph->n);
    for (int v = 0; v < graph->n; v++) {
        potential[v] = 0.0; /* as if from a vertex with arcs of weight 0 to all */
        before[v] = -1;
    }
    for (int round = 0; round <= graph->n && changed >= 0; round++) {
        changed = -1;
        for (size_t i = 0; i < graph->arc_count; i++) {
            const struct lab_arc *arc = &graph->arcs[i];
            if (potential[arc->from] + arc->weight < potential[arc->to]) {
                potential[arc->to] = potential[arc->from] + arc->weight;
                before[arc->to] = arc->from;
                changed = arc->to;
            }
        }
    }
    for (int i = 0; i < graph->n && changed >= 0; i++)
        changed = before[changed];
    if (changed >= 0)
        *cycle = measure_cycle(graph, before, changed);
    free(before);
    return LAB_EXIT_OK;
}

/* --- Floyd-Warshall ----------------------------------------------------------------------------*/

enum { BLOCK = 64, LEAST_FOR_A_THREAD = 4 * BLOCK };

/* Relaxes the block at (row, column) through the vertices of the block `middle`. */
static void relax(double *d, int n, int row, int column, int middle)
{
    const int rows = lab_least(row + BLOCK, n), columns = lab_least(column + BLOCK, n);
    for (int k = middle; k < lab_least(middle + BLOCK, n); k++)
        for (int i = row; i < rows; i++) {
            const double to_k = d[(size_t)i * n + k];
            const double *from_k = d + (size_t)k * n;
            double *own = d + (size_t)i * n;
            if (to_k == (double)INFINITY)
                continue;
            for (int j = column; j < columns; j++)
                own[j] = to_k + from_k[j] < own[j] ? to_k + from_k[j] : own[j];
        }
}

/* What all threads work on: the blocks of one round. */
struct round {
    double *d;
    int n, middle;
};

/* Relaxes the blocks beside, above and below the diagonal's block. */
static void relax_panels(void *context, int share, int shares)
{
    const struct round *r = context;
    for (int other = share * BLOCK; other < r->n; other += shares * BLOCK)
        if (other != r->middle) {
            relax(r->d, r->n, r->middle, other, r->middle);
            relax(r->d, r->n, other, r->middle, r->middle);
        }
}

static void relax_rest(void *context, int share, int shares)
{
    const struct round *r = context;
    for (int row = share * BLOCK; row < r->n; row += shares * BLOCK)
        for (int column = 0; column < r->n; column += BLOCK)
            if (row != r->middle && column != r->middle)
                relax(r->d, r->n, row, column, r->middle);
}

void lab_floyd_warshall(double *d, int n, int threads)
{
    const int shares = lab_least(threads, 1 + n / LEAST_FOR_A_THREAD);
    for (int middle = 0; middle < n; middle += BLOCK) {
        struct round round = {d, n, middle};
        relax(d, n, middle, middle, middle);
        lab_share_out(relax_panels, &round, shares);
        lab_share_out(relax_rest, &round, shares);
    }
}
