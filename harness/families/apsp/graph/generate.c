/* Random graphs as in GTgraph, in whole-number arithmetic alone: the same on every machine. */
#include "families/apsp/graph/graph.h"

#include "base/status.h"

#include <stdlib.h>
#include <unistd.h>

/* SplitMix64 (Sebastiano Vigna, public domain): a constant is added to a state to get the next
 * one. */
struct dice {
    uint64_t state;
};

static uint64_t roll(struct dice *dice)
{
    uint64_t z = dice->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* From 0 to count - 1, equally probable to within 2^-32. */
static int below(struct dice *dice, uint64_t count)
{
    return (int)((roll(dice) >> 32) * count >> 32);
}

static int weight_of(struct dice *dice, const struct lab_graph_request *request)
{
    return request->low + below(dice, (uint64_t)((long long)request->high - request->low + 1));
}

/* Per cent of the arcs in each quarter of the matrix, which is quartered again and again. */
enum { UPPER_LEFT = 45, UPPER_RIGHT = 15, LOWER_LEFT = 15, ALL = 100 };

static void throw_arc(struct dice *dice, const struct lab_graph_request *request, int *from,
                      int *to)
{
    if (request->generator != LAB_GENERATE_RMAT) {
        *from = below(dice, (uint64_t)request->n);
        *to = below(dice, (uint64_t)request->n);
        return;
    }
    *from = *to = 0;
    for (long long size = 1; size < request->n; size *= 2) {
        int share = below(dice, ALL);
        *from = 2 * *from + (share >= UPPER_LEFT + UPPER_RIGHT);
        *to = 2 * *to + ((share >= UPPER_LEFT && share < UPPER_LEFT + UPPER_RIGHT) ||
                         share >= UPPER_LEFT + UPPER_RIGHT + LOWER_LEFT);
    }
}

/* `height`: of each vertex; NULL: all alike. `place`: of each vertex in an order that all arcs
 * follow; NULL: arcs lead anywhere. */
static bool throw_arcs(struct dice *dice, const struct lab_graph_request *request,
                       const int *height, const int *place, struct lab_graph *graph)
{
    for (long long i = 0; i < request->arcs && request->n > 1;) {
        int from, to;
        throw_arc(dice, request, &from, &to);
        if (from == to || from >= request->n || to >= request->n)
            continue; /* no loops, and no vertices that only the next power of two has */
        if (place && place[from] > place[to]) {
            const int other = from;
            from = to;
            to = other;
        }
        const double climbs = height ? (double)height[to] - height[from] : 0.0;
        if (!lab_graph_add(graph, from, to, weight_of(dice, request) + climbs))
            return false;
        i++;
    }
    return true;
}

static bool throw_heights(struct dice *dice, const struct lab_graph_request *request, int *height,
                          struct lab_graph *graph)
{
    for (int v = 0; v < request->n; v++)
        height[v] = below(dice, (uint64_t)request->high + 1);
    return throw_arcs(dice, request, height, NULL, graph);
}

/* A random order, after Fisher and Yates, from inside out. */
static void throw_row(struct dice *dice, int n, int *row)
{
    for (int i = 0; i < n; i++) {
        const int other = below(dice, (uint64_t)i + 1);
        row[i] = row[other];
        row[other] = i;
    }
}

static bool throw_dag(struct dice *dice, const struct lab_graph_request *request, int *place,
                      struct lab_graph *graph)
{
    throw_row(dice, request->n, place);
    return throw_arcs(dice, request, NULL, place, graph);
}

static bool throw_chain(struct dice *dice, const struct lab_graph_request *request, int *row,
                        struct lab_graph *graph)
{
    throw_row(dice, request->n, row);
    for (int i = 0; i + 1 < request->n; i++)
        if (!lab_graph_add(graph, row[i], row[i + 1], weight_of(dice, request)))
            return false;
    for (long long i = request->n - 1; i < request->arcs && request->n > 1; i++) {
        const int later = 1 + below(dice, (uint64_t)request->n - 1);
        if (!lab_graph_add(graph, row[later], row[below(dice, (uint64_t)later)],
                           weight_of(dice, request)))
            return false;
    }
    return true;
}

static bool try_all_arcs(struct dice *dice, const struct lab_graph_request *request,
                         struct lab_graph *graph)
{
    const uint64_t threshold = (uint64_t)(request->probability * 0x1p53);
    for (int from = 0; from < request->n; from++)
        for (int to = 0; to < request->n; to++)
            if (from != to && roll(dice) >> 11 < threshold &&
                !lab_graph_add(graph, from, to, weight_of(dice, request)))
                return false;
    return true;
}

/* Checks for twice the list: a list that grows is copied, and sorting takes as much. */
static int check_host_memory(const struct lab_graph_request *request)
{
    const double cells = (double)request->n * (request->n - 1.0), gib = 1 << 30;
    const double arcs = request->generator == LAB_GENERATE_GNP ? request->probability * cells
                        : request->generator == LAB_GENERATE_CHAIN && request->arcs < request->n
                            ? (double)request->n
                            : (double)request->arcs;
    const double needed = 2.0 * arcs * sizeof(struct lab_arc);
    const double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    if (needed <= there)
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_USAGE,
                        "%.0f arcs need %.1f GiB of the host's memory, which has %.1f; take fewer",
                        arcs, needed / gib, there / gib);
}

int lab_graph_generate(const struct lab_graph_request *request, struct lab_graph *graph)
{
    struct dice dice = {request->seed * 0xD1B54A32D192ED03u + (uint64_t)request->generator};
    *graph = (struct lab_graph){.n = request->n};
    if (check_host_memory(request) != LAB_EXIT_OK)
        return LAB_EXIT_USAGE;
    int *of_vertices = malloc((size_t)request->n * sizeof *of_vertices);
    bool done = of_vertices != NULL;
    if (done && request->generator == LAB_GENERATE_GNP)
        done = try_all_arcs(&dice, request, graph);
    else if (done && request->generator == LAB_GENERATE_CHAIN)
        done = throw_chain(&dice, request, of_vertices, graph);
    else if (done && request->generator == LAB_GENERATE_POTENTIAL)
        done = throw_heights(&dice, request, of_vertices, graph);
    else if (done && request->generator == LAB_GENERATE_DAG)
        done = throw_dag(&dice, request, of_vertices, graph);
    else if (done)
        done = throw_arcs(&dice, request, NULL, NULL, graph);
    free(of_vertices);
    return done ? LAB_EXIT_OK
                : lab_complain(LAB_EXIT_USAGE, "no memory on the host for the arcs of n=%d",
                               request->n);
}
