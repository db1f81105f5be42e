/**
 * @file apsp.h
 * @brief Inside of family apsp: the problem's state, shared by the files of this folder.
 */
#ifndef LAB_FAMILIES_APSP_APSP_H
#define LAB_FAMILIES_APSP_APSP_H

#include "diagnose/hypothesis.h"
#include "families/apsp.h"
#include "families/apsp/graph/graph.h"
#include "families/problem.h"
#include "options/family.h"

#include <stdbool.h>

/* --- what the command line may say of shortest paths: graphs, types, paths, output -------------*/

/** Options of shortest paths. Strings belong to argv. */
struct apsp_options {
    enum lab_apsp_type type;
    bool type_given;
    enum lab_apsp_semiring semiring;
    const char *graph; /**< file; NULL: generate */
    enum lab_generator generator;
    double degree;         /**< arcs for each vertex */
    long long arcs;        /**< altogether; -1: by the degree */
    double probability;    /**< for G(n, p) */
    int low, high;         /**< least and largest weight that is generated */
    int products;          /**< 0: as many as needed */
    bool paths;            /**< find them */
    bool has_ends;         /**< print the path from `from` to `to` */
    long long from, to;    /**< labels, as in the file */
    const char *out;       /**< file for the distances; NULL: none */
    const char *next;      /**< file for the vertices after the first; NULL: none */
    const char *generates; /**< an option given that only generating heeds; NULL: none given */
    bool has_degree, has_probability, generator_given;
    int ends_given; /**< bits: 1: --from, 2: --to */
};

extern const struct lab_family_options lab_apsp_options;

/* The one table of semirings of family apsp: what options, data, reference and check know of each.
 * Kernels have theirs in common/semirings.h. */

/** A semiring. The host keeps all values as lengths, of which the shortest is wanted: see struct
 * apsp. `to_length` and `of_length` convert an element to a length and back. */
struct apsp_semiring {
    const char *name;
    unsigned types;          /**< bit t: takes enum lab_apsp_type t */
    enum lab_apsp_type type; /**< the type if none is given */
    const char *takes;       /**< what `--type` has to be; NULL: any */
    const char *shown;       /**< the problem's type in tables; NULL: the elements' type */
    const char *operation;   /**< sign of its multiplication in messages */
    double zero, one;        /**< no path; the way from a vertex to itself */
    double (*add)(double x, double y);
    double (*multiply)(double x, double y);
    /** As lengths, a product is a sum and the least counts. The host then finds what is expected by
     *  Floyd-Warshall and Dijkstra. False: it squares the matrix, at any size. */
    bool is_of_paths;
    double (*of_weight)(double weight); /**< length of an arc of that weight */
    double (*to_length)(double value);
    double (*of_length)(double length);
};

/** The table, by enum lab_apsp_semiring. */
extern const struct apsp_semiring apsp_semirings[LAB_APSP_SEMIRINGS];

enum {
    APSP_ALL_ROWS_TO = 1200, /**< vertices up to which every element is expected */
    APSP_SAMPLED_ROWS = 24,  /**< rows of the reference for larger graphs */
    APSP_OTHER_ROWS = 64,    /**< rows checked there for what must hold between distances */
    APSP_WALKS = 32,         /**< paths walked in larger graphs from each row of the reference */
    APSP_MARKS = 50,         /**< pieces of work whose progress is shown */
};

/** Which array. */
enum apsp_array { APSP_W, APSP_D, APSP_SCRATCH, APSP_NEXT };

/** What the family keeps of a problem: a graph and what is expected of its matrices. The host finds
 * shortest paths whatever the semiring: for the longest it negates the weights, for whether there
 * is a path all weights are 0. The graph and all values on the host are these lengths. */
struct apsp {
    struct lab_problem *problem;
    const struct apsp_options *own; /**< as given */
    struct lab_graph graph;
    int n;
    enum lab_apsp_type type;
    enum lab_apsp_semiring semiring;
    const struct apsp_semiring *ring; /**< the semiring in the table */
    bool paths;
    int products;
    int negative_vertex; /**< a vertex on a cycle of negative length; -1: there is no such cycle */
    double *potential;   /**< (n) where weights are negative, else NULL */
    int expected_rows;   /**< rows of the reference */
    int *expected_row;   /**< (expected_rows): which rows */
    double *expected;    /**< (expected_rows, n) */
    double tolerance;    /**< relative; 0: exact */
    void *row_bytes;     /**< a row on the host; pinned, since a large matrix takes many copies */
    double *row_values;
    int *row_next;
    int *next_host; /**< (n, n) of small graphs while paths are checked, else NULL */
    bool shows_progress;
    struct lab_progress progress;
    cudaEvent_t marks[APSP_MARKS];
    int mark_count;
};

/** Bytes of one element of the matrices. */
size_t apsp_element_bytes(const struct apsp *p);

/** Values of `count` elements as the host computes: infinity where there is no path. */
void apsp_widen(const struct apsp *p, const void *elements, double *values, size_t count);

/** The element of the matrix that a value on the host stands for. */
double apsp_shown(const struct apsp *p, double value);

/** A length as the type holds it: infinity where it does not fit. */
double apsp_fit(enum lab_apsp_type type, double length);

/** Makes the graph and refuses what the type cannot hold; an exit status. */
int apsp_create(struct apsp *p);

/** Writes row `row` of the matrix of arcs; it is the same every time. */
void apsp_fill_row(const struct apsp *p, int row, void *elements);

/** Copies a row of distances to p->row_values, and of next vertices to p->row_next. */
cudaError_t apsp_fetch_row(struct apsp *p, int row);
cudaError_t apsp_fetch_next(struct apsp *p, int row);

/** Functions of struct lab_family. */
int apsp_make_reference(struct lab_problem *problem);
void apsp_destroy(struct lab_problem *problem);
bool apsp_race_cause(const struct lab_problem *problem, int which, const void *distances,
                     char *text, size_t size);
cudaError_t apsp_check_output(struct lab_problem *problem, struct lab_check *check);
cudaError_t apsp_check_more(struct lab_problem *problem, struct lab_check *check);
int apsp_conclude(struct lab_problem *problem, struct lab_conclusion *conclusion);

/** Times the host on the same graph: each method that takes seconds at most. */
void apsp_note_host(const struct lab_options *options, struct lab_conclusion *conclusion);

/** Write the distances, or the vertices after the first of each path, to a file; an exit status. */
int apsp_write_distances(struct apsp *p, const char *path);
int apsp_write_next(struct apsp *p, const char *path);

/* --- how long the host takes for all shortest paths, on all of its cores -----------------------*/

/** About how many milliseconds at most the host takes for Dijkstra, and for Floyd-Warshall. */
double lab_host_dijkstra_estimate(const struct lab_graph *graph);
double lab_host_floyd_warshall_estimate(const struct lab_graph *graph);

/** Milliseconds of the faster of the two. Only a method that should take less than `most`, and that
 * can handle the graph's weights, is tried; 0: neither. */
double lab_host_ms(const struct lab_graph *graph, double most);

/** Milliseconds for Dijkstra from every vertex, without negative weights; 0: no memory. */
double lab_host_dijkstra_ms(const struct lab_graph *graph);

/** Milliseconds for Floyd-Warshall in blocks, double precision; 0: no memory. */
double lab_host_floyd_warshall_ms(const struct lab_graph *graph);

#endif
