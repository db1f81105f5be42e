/* The reference of family apsp: shortest paths whatever the semiring, see struct apsp. For small
 * graphs Floyd-Warshall on the host gives every element; for large graphs Dijkstra gives some rows.
 * Both compute in double precision. */
#include "families/apsp/apsp.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

/* --- what an error may be ------------------------------------------------------------------------
 *
 * Whole numbers are exact, in f32 too as long as every length is below 2^24. A sum that is larger
 * rounds, but is no shortest length. Elsewhere a path of h arcs takes h - 1 additions in whatever
 * order, each of which rounds by at most u = 2^-24 of a partial sum. Without negative weights that
 * is at most the length D, and (n - 2) u D in all. The weights themselves were rounded before, for
 * the reference as for the device. The least of several sums, each off by no more than that, is off
 * by no more than that either. With negative weights partial sums are bounded by the n - 1 largest
 * weights alone. */
static const double U = 0x1p-24;
static const double EXACT = 1 << 24;

static double largest_finite(const struct apsp *p)
{
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)p->expected_rows * p->n; i++)
        if (isfinite(p->expected[i]) && fabs(p->expected[i]) > largest)
            largest = fabs(p->expected[i]);
    return largest;
}

static void derive_tolerance(struct apsp *p)
{
    const double most = p->potential ? (p->n - 1.0) * fmax(fabs(p->graph.least), p->graph.largest)
                                     : largest_finite(p);
    p->tolerance = p->type != LAB_APSP_F32 || (p->graph.whole && most < EXACT) ? 0.0 : p->n * U;
}

static void fit_all(struct apsp *p)
{
    for (size_t i = 0; i < (size_t)p->expected_rows * p->n; i++)
        p->expected[i] = apsp_fit(p->type, p->expected[i]);
}

/* Fills in the matrix of arcs as the device has it: weights of f32 are rounded. */
static void fill_expected(struct apsp *p)
{
    for (int i = 0; i < p->n; i++) {
        apsp_fill_row(p, i, p->row_bytes);
        apsp_widen(p, p->row_bytes, p->expected + (size_t)i * p->n, p->n);
    }
}

/* D = D + D D with the semiring's operations, in double precision, exactly `products`
 * times. */
static int square_expected(struct apsp *p, int products)
{
    const struct apsp_semiring *ring = p->ring;
    const size_t count = (size_t)p->n * p->n;
    double *old = malloc(count * sizeof *old);
    for (size_t i = 0; i < count && old; i++)
        p->expected[i] = ring->of_length(p->expected[i]);
    for (int product = 0; product < products && old; product++) {
        for (size_t i = 0; i < count; i++)
            old[i] = p->expected[i];
        for (int i = 0; i < p->n; i++)
            for (int k = 0; k < p->n; k++) {
                const double to_k = old[(size_t)i * p->n + k], *from_k = old + (size_t)k * p->n;
                double *own = p->expected + (size_t)i * p->n;
                for (int j = 0; to_k != ring->zero && j < p->n; j++)
                    own[j] = ring->add(own[j], ring->multiply(to_k, from_k[j]));
            }
    }
    for (size_t i = 0; i < count && old; i++)
        p->expected[i] = ring->to_length(p->expected[i]);
    bool done = old != NULL;
    free(old);
    return done ? LAB_EXIT_OK
                : lab_complain(LAB_EXIT_USAGE, "no memory on the host for n=%d", p->n);
}

/* Paths of at most 2^products arcs from one vertex: does as many rounds over all arcs. */
static bool limited_row(const struct apsp *p, int from, double *distance, double *before)
{
    bool changed = true;
    for (int v = 0; v < p->n; v++)
        distance[v] = v == from ? 0.0 : (double)INFINITY;
    for (long round = 0; round < 1L << p->products && changed; round++) {
        changed = false;
        for (int v = 0; v < p->n; v++)
            before[v] = distance[v];
        for (size_t i = 0; i < p->graph.arc_count; i++) {
            const struct lab_arc *arc = &p->graph.arcs[i];
            if (before[arc->from] + arc->weight < distance[arc->to]) {
                distance[arc->to] = before[arc->from] + arc->weight;
                changed = true;
            }
        }
    }
    return true;
}

static void expect_row(struct apsp *p, int i, void *scratch)
{
    double *row = p->expected + (size_t)i * p->n;
    if (p->products)
        limited_row(p, p->expected_row[i], row, scratch);
    else
        lab_graph_dijkstra(&p->graph, p->potential, p->expected_row[i], row, scratch);
}

int apsp_make_reference(struct lab_problem *problem)
{
    struct apsp *p = problem->state;
    const bool all = p->n <= APSP_ALL_ROWS_TO || !p->ring->is_of_paths;
    p->expected_rows = p->negative_vertex >= 0 ? 0 : all ? p->n : APSP_SAMPLED_ROWS;
    p->expected_row = calloc(p->expected_rows + 1, sizeof *p->expected_row);
    p->expected = malloc(((size_t)p->expected_rows * p->n + 1) * sizeof *p->expected);
    void *scratch = malloc(lab_dijkstra_bytes(&p->graph) + p->n * sizeof(double));
    int status = LAB_EXIT_OK;
    if (!p->expected_row || !p->expected || !scratch)
        status = lab_complain(LAB_EXIT_USAGE, "no memory on the host for n=%d", p->n);
    for (int i = 0; i < p->expected_rows && status == LAB_EXIT_OK; i++)
        p->expected_row[i] = i ? (int)((long long)i * (p->n - 1) / (p->expected_rows - 1)) : 0;
    if (all && p->expected_rows && status == LAB_EXIT_OK) {
        fill_expected(p);
        if (p->products || !p->ring->is_of_paths)
            status = square_expected(p, lab_apsp_products(p->problem->argument));
        else
            lab_floyd_warshall(p->expected, p->n, 1);
    } else {
        for (int i = 0; i < p->expected_rows && status == LAB_EXIT_OK; i++)
            expect_row(p, i, scratch);
    }
    free(scratch);
    if (status == LAB_EXIT_OK) {
        derive_tolerance(p);
        fit_all(p);
    }
    return status;
}
