/**
 * @file graph.h
 * @brief Directed graphs with weights, read from a file or generated, and shortest paths from one
 * vertex. The matrices of family apsp are checked against these paths.
 */
#ifndef LAB_FAMILIES_APSP_GRAPH_GRAPH_H
#define LAB_FAMILIES_APSP_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An arc. Vertices count from 0. */
struct lab_arc {
    int from, to;
    double weight;
};

/** A graph. All zero: empty. Members after `arcs` are set by lab_graph_finish(). */
struct lab_graph {
    int n;                /**< vertices, at least 1 */
    size_t arc_count;     /**< arcs */
    size_t room;          /**< arcs that there is memory for */
    struct lab_arc *arcs; /**< by `from`, then `to`; no loops, no two with the same ends */
    long long *labels; /**< what the file calls the vertices, rising; NULL: `label_base` + index */
    int label_base;    /**< 0 or 1 */
    size_t *first;     /**< (n + 1): arcs from vertex v are first[v] .. first[v + 1] - 1 */
    size_t loops, duplicates; /**< arcs that were dropped */
    double least, largest;    /**< of the weights; 0 and 0 without arcs */
    bool whole;               /**< all weights are whole numbers */
};

/** How a graph is generated. */
enum lab_generator {
    LAB_GENERATE_GNM,  /**< `arcs` arcs between any two vertices */
    LAB_GENERATE_GNP,  /**< each possible arc with the same probability */
    LAB_GENERATE_RMAT, /**< `arcs` arcs, in a matrix whose quarters have unequal shares */
    /** A chain: all vertices in a random order, with an arc from each to the next. All other arcs
     * lead back, so the only path from the first to the last has n - 1 arcs. */
    LAB_GENERATE_CHAIN,
    /** As GNM, but each vertex has a height, and the climb of an arc is added to its weight. Many
     * weights are below 0, and no cycle is. */
    LAB_GENERATE_POTENTIAL,
    /** As GNM, but every arc leads forward in a random order of the vertices: no cycles. */
    LAB_GENERATE_DAG,
};

/** What a graph is to be. */
struct lab_graph_request {
    const char *file; /**< file to read; NULL: generate */
    enum lab_generator generator;
    int n;
    long long arcs;     /**< for all but G(n, p); loops and duplicates not counted */
    double probability; /**< for G(n, p) */
    int low, high;      /**< weights are whole numbers from low to high */
    uint64_t seed;
};

/** Reads a file: DIMACS .gr, Matrix Market coordinate or a SNAP edge list, plain or gzip. Whatever
 * is malformed is refused with the number of its line. The caller then calls lab_graph_finish(). An
 * exit status, after complaining. */
int lab_graph_read(const char *path, struct lab_graph *graph);

/** Generates a graph, with the same arcs on every machine. The caller finishes it likewise. */
int lab_graph_generate(const struct lab_graph_request *request, struct lab_graph *graph);

/** Adds an arc; false when there is no memory. */
bool lab_graph_add(struct lab_graph *graph, int from, int to, double weight);

/** Sorts the arcs, drops loops, keeps the least of duplicates, and looks at the weights. An exit
 *  status. */
int lab_graph_finish(struct lab_graph *graph);

void lab_graph_release(struct lab_graph *graph);

/** The file's label of a vertex, and the vertex of a label: -1 when there is no such label. */
long long lab_graph_label(const struct lab_graph *graph, int vertex);
int lab_graph_vertex(const struct lab_graph *graph, long long label);

/** Weight of an arc, infinity when there is none. */
double lab_graph_weight(const struct lab_graph *graph, int from, int to);

/** A cycle of negative length, or none. */
struct lab_cycle {
    int vertex;     /**< a vertex on it; -1: there is no such cycle */
    double length;  /**< of all its arcs */
    double amounts; /**< sum of its weights' absolute values, which its rounding is relative to */
};

/**
 * @brief Potentials that make all weights non-negative, by Bellman and Ford.
 * @param potential  (n); weight + potential[from] - potential[to] >= 0 for each arc
 * @param cycle      a negative cycle; where there is none, the potentials are right
 * @return an exit status
 */
int lab_graph_potentials(const struct lab_graph *graph, double *potential, struct lab_cycle *cycle);

/**
 * @brief Distances from one vertex to all, by Dijkstra; infinity where there is no path.
 * @param potential  as above, NULL when no weight is below 0
 * @param scratch    lab_dijkstra_bytes() bytes
 */
void lab_graph_dijkstra(const struct lab_graph *graph, const double *potential, int from,
                        double *distance, void *scratch);
size_t lab_dijkstra_bytes(const struct lab_graph *graph);

/** Distances from all vertices to all by Floyd and Warshall, in blocks. `threads` is a maximum. `d`
 * is (n, n), row `from`, column `to`; it holds the weights at the start. */
void lab_floyd_warshall(double *d, int n, int threads);

#endif
