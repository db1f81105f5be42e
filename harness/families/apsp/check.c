/* Checks of family apsp: the distances that are expected, what must hold between all others, and
 * paths by walking them. */
#include "families/apsp/apsp.h"

#include "base/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- distances ---------------------------------------------------------------------------------*/

struct output {
    struct lab_mismatches mismatches;
    size_t seen;
    double max_error;
};

/* Bits of poison, in a type whose numbers never have these bits. */
static bool is_poison(const struct apsp *p, int j)
{
    const enum lab_element element = p->problem->arrays[APSP_D].element;
    return (p->semiring == LAB_APSP_OR_AND || p->type == LAB_APSP_F32) &&
           lab_element_is_poison(element,
                                 (const char *)p->row_bytes + j * lab_element_bytes(element));
}

/* Relative to the expected value. An infinity must be that same infinity. */
static double error_of(const struct apsp *p, double got, double expected)
{
    if (isinf(expected) || isinf(got))
        return got == expected ? 0.0 : (double)INFINITY;
    const double scale =
        p->potential ? (p->n - 1.0) * fmax(-p->graph.least, p->graph.largest) : fabs(expected);
    return got == expected ? 0.0 : fabs(got - expected) / scale;
}

static void compare_row(const struct apsp *p, int i, struct output *found)
{
    const double *expected = p->expected + (size_t)i * p->n;
    for (int j = 0; j < p->n; j++) {
        const double error = error_of(p, p->row_values[j], expected[j]);
        found->seen++;
        if (error > found->max_error)
            found->max_error = error;
        if (error <= p->tolerance) /* false of NaN, too */
            continue;
        lab_mismatch_note(&found->mismatches,
                          (struct lab_mismatch){(size_t)p->expected_row[i], (size_t)j, expected[j],
                                                p->row_values[j]},
                          fabs(expected[j]), is_poison(p, j));
    }
}

/* Values that come only from a sum that overflows, or from a sum with the element of "no path". */
static bool is_overflow(const struct apsp *p, double got, double expected)
{
    if (p->type == LAB_APSP_F32 || p->semiring == LAB_APSP_OR_AND || !(got < expected))
        return false;
    return isinf(expected) || got < (p->n - 1.0) * fmin(p->graph.least, 0.0);
}

static const char *overflow_cause(const struct apsp *p, double got, double expected)
{
    if (isinf(expected) && got >= 0.0)
        return "there is no such path: look for sums that overflow, or that are below \"no path\" "
               "with it as a part: leave out every sum of which a part is \"no path\"";
    return p->graph.least < 0.0
               ? "no path is as short: look for sums that overflow: leave out every sum of which a "
                 "part is \"no path\""
               : "no arc is below 0: look for sums that overflow: leave out every sum of which a "
                 "part is \"no path\"";
}

static const char *cause_of(const struct apsp *p, const struct lab_mismatch *found)
{
    if (p->semiring == LAB_APSP_OR_AND && found->got < 0.0)
        return "an element is 1 or 0";
    if (p->semiring == LAB_APSP_OR_AND && found->got < found->expected)
        return "there is no such path: look for arcs that are not there";
    if (p->semiring == LAB_APSP_MAX_PLUS && found->got < found->expected)
        return "no path is as long: look for arcs that are not there";
    if (is_overflow(p, found->got, found->expected))
        return overflow_cause(p, found->got, found->expected);
    if (found->got < found->expected)
        return "no path is as short: look for sums that overflow, and for arcs that are not there";
    if (isinf(found->got))
        return "a path was not found: does every k take part, up to the last tile, in all phases "
               "and rounds, and in their order?";
    if (p->semiring == LAB_APSP_MAX_PLUS)
        return "a longer path was not found: do all products take place?";
    return p->type == LAB_APSP_F32 && p->graph.least < 0.0
               ? "a shorter path was not found: do all phases and rounds take place, in this "
                 "order? And are lengths below 0 compared as numbers? The bits of a float, as a "
                 "whole number, are not in that order there"
               : "a shorter path was not found: do all phases and rounds take place, in this "
                 "order?";
}

/* Most elements are wrong in a type that is not float: perhaps the kernel computes with floats. */
static void append_type(const struct apsp *p, struct lab_check *check)
{
    const size_t length = strlen(check->message);
    snprintf(check->message + length, sizeof check->message - length,
             "; the row's flags say that it solves problems of type %s: do its kernels?",
             p->type == LAB_APSP_S32 ? "s32" : "u16");
}

/* --- how many arcs the missing paths have ------------------------------------------------------*/

/* Arcs of shortest paths: the fewest over all wrong elements that are too large, and the most over
 * all right elements. */
struct arcs {
    int of_wrong, of_right;
    int *count, *queue; /* (n) */
};

static bool is_tight(const struct apsp *p, const double *distance, const struct lab_arc *arc)
{
    const double way = apsp_fit(p->type, distance[arc->from] + arc->weight);
    return error_of(p, way, distance[arc->to]) <= p->tolerance;
}

/* Breadth first, along the arcs that belong to shortest paths. */
static void count_arcs(const struct apsp *p, int from, const double *distance, struct arcs *arcs)
{
    int first = 0, last = 0;
    for (int v = 0; v < p->n; v++)
        arcs->count[v] = -1;
    arcs->count[from] = 0;
    arcs->queue[last++] = from;
    while (first < last) {
        const int v = arcs->queue[first++];
        for (size_t a = p->graph.first[v]; a < p->graph.first[v + 1]; a++) {
            const int to = p->graph.arcs[a].to;
            if (arcs->count[to] >= 0 || !is_tight(p, distance, &p->graph.arcs[a]))
                continue;
            arcs->count[to] = arcs->count[v] + 1;
            arcs->queue[last++] = to;
        }
    }
}

static void note_arcs(const struct apsp *p, int i, struct arcs *arcs)
{
    const double *expected = p->expected + (size_t)i * p->n;
    count_arcs(p, p->expected_row[i], expected, arcs);
    for (int j = 0; j < p->n; j++) {
        const int count = arcs->count[j];
        const bool is_right = error_of(p, p->row_values[j], expected[j]) <= p->tolerance;
        if (is_right && isfinite(expected[j]) && count > arcs->of_right)
            arcs->of_right = count;
        if (!is_right && (count < arcs->of_wrong || !(p->row_values[j] > expected[j])))
            arcs->of_wrong = p->row_values[j] > expected[j] ? count : 0;
    }
}

/* Exactly the paths of many arcs are missing: too few rounds, not wrong places. */
static bool lack_many_arcs(struct lab_evidence *e, char *text, size_t size)
{
    struct apsp *p = e->advice->family;
    struct arcs arcs = {.of_wrong = p->n,
                        .count = malloc((size_t)p->n * sizeof(int)),
                        .queue = malloc((size_t)p->n * sizeof(int))};
    bool is_seen = arcs.count && arcs.queue && !p->products;
    for (int i = 0; i < p->expected_rows && is_seen; i++) {
        is_seen = apsp_fetch_row(p, p->expected_row[i]) == cudaSuccess;
        if (is_seen)
            note_arcs(p, i, &arcs);
    }
    snprintf(text, size,
             "all paths of %d arcs and more are missing, and all of fewer are right: are there "
             "enough rounds or squarings? A shortest path may have n - 1 arcs, whatever most "
             "graphs need",
             arcs.of_wrong);
    free(arcs.count);
    free(arcs.queue);
    return is_seen && arcs.of_wrong > 1 && arcs.of_wrong > arcs.of_right;
}

/* --- the verdict -------------------------------------------------------------------------------*/

static bool are_overflows(struct lab_evidence *e, char *text, size_t size)
{
    const struct apsp *p = e->advice->family;
    const struct lab_mismatch *shown = lab_mismatch_shown(e->mismatches);
    snprintf(text, size, "%s", overflow_cause(p, shown->got, shown->expected));
    return is_overflow(p, shown->got, shown->expected);
}

static const struct lab_hypothesis hypotheses[] = {
    {"overflow", are_overflows, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"too few rounds", lack_many_arcs, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {.name = NULL},
};

static double shown(const void *p, double value)
{
    return apsp_shown(p, value);
}

static void give_verdict(struct apsp *p, const struct output *found, struct lab_check *check)
{
    const struct lab_mismatches *m = &found->mismatches;
    const char *cause = cause_of(p, lab_mismatch_shown(m));
    const struct lab_advice advice = {
        .of_unwritten = "does the grid cover the whole matrix, and does every thread reach its "
                        "store?",
        .of_nans = "NaN comes of memory that nobody wrote, or of infinity less infinity",
        .of_most = cause,
        .of_some = cause,
        .is_exact = true,
        .hypotheses = hypotheses,
        .family = p,
        .shown = shown};
    struct lab_evidence evidence = {.mismatches = m,
                                    .counted = found->seen,
                                    .advice = &advice,
                                    .name = "D",
                                    .indices = 2,
                                    .digits = 9,
                                    .noun = " distances"};
    check->tolerance = p->tolerance;
    check->max_error = found->max_error;
    lab_diagnose(&evidence, check);
    if (p->type != LAB_APSP_F32 && p->semiring == LAB_APSP_MIN_PLUS &&
        2 * m->pattern.wrong > found->seen)
        append_type(p, check);
}

/* --- cycles ------------------------------------------------------------------------------------*/

/* If a cycle is negative, the only thing expected is that some vertex has a negative distance to
 * itself. */
static cudaError_t check_negative(struct apsp *p, struct lab_check *check)
{
    for (int v = 0; v < p->n; v++) {
        cudaError_t status = apsp_fetch_row(p, v);
        if (status != cudaSuccess || p->row_values[v] < 0.0)
            return status;
    }
    check->status = LAB_CHECK_WRONG;
    snprintf(check->message, sizeof check->message,
             "a cycle of %s length passes through vertex %lld, but no D[v][v] is %s 0",
             p->semiring == LAB_APSP_MAX_PLUS ? "positive" : "negative",
             lab_graph_label(&p->graph, p->negative_vertex),
             p->semiring == LAB_APSP_MAX_PLUS ? "above" : "below");
    return cudaSuccess;
}

cudaError_t apsp_check_output(struct lab_problem *problem, struct lab_check *check)
{
    struct apsp *p = problem->state;
    struct output found = {.mismatches.pattern = {.rows = p->n, .columns = p->n}};
    cudaError_t status = cudaSuccess;
    if (p->negative_vertex >= 0) {
        status = check_negative(p, check);
    } else {
        for (int i = 0; i < p->expected_rows && status == cudaSuccess; i++) {
            status = apsp_fetch_row(p, p->expected_row[i]);
            if (status == cudaSuccess)
                compare_row(p, i, &found);
        }
        if (status == cudaSuccess)
            give_verdict(p, &found, check);
    }
    return status;
}

/* Lengths only get shorter, down to the shortest, and none is longer than n - 1 of the longest
 * arcs. A length outside these bounds, amid a launch that ended in a race, is the cause of the
 * race. An element that nobody has written looks like -1, or like no path. */
bool apsp_race_cause(const struct lab_problem *problem, int which, const void *distances,
                     char *text, size_t size)
{
    const struct apsp *p = problem->state;
    const size_t each = apsp_element_bytes(p), row_bytes = (size_t)p->n * each;
    const double longest = (p->n - 1.0) * fmax(p->graph.largest, 0.0);
    if (which != APSP_D || p->type == LAB_APSP_F32 || p->semiring != LAB_APSP_MIN_PLUS ||
        p->negative_vertex >= 0)
        return false;
    for (int i = 0; i < p->expected_rows; i++) {
        const double *expected = p->expected + (size_t)i * p->n;
        const int row = p->expected_row[i];
        apsp_widen(p, (const char *)distances + (size_t)row * row_bytes, p->row_values, p->n);
        for (int j = 0; j < p->n; j++) {
            const double got = p->row_values[j];
            const bool is_too_long = got > longest && isfinite(got);
            if (got == -1.0 || (!(got < expected[j]) && !is_too_long))
                continue;
            snprintf(text, size,
                     "D[%d][%d] has become %.9g, but %s; other threads read it meanwhile", row, j,
                     got, overflow_cause(p, got, is_too_long ? (double)INFINITY : expected[j]));
            return true;
        }
    }
    return false;
}

/* --- what must hold between distances ----------------------------------------------------------*/

/* Says that D[i][j] is greater than a path through k (or less, where the longest is wanted). */
static void say_way(const struct apsp *p, int i, int j, double own, int k, const double parts[2],
                    struct lab_check *check)
{
    snprintf(check->message, sizeof check->message,
             "D[%d][%d] is %.9g, but by way of %d it is %.9g %s %.9g", i, j, apsp_shown(p, own), k,
             apsp_shown(p, parts[0]), p->ring->operation, apsp_shown(p, parts[1]));
}

/* Checks that D[i][i] = 0, and that no arc improves a distance to the vertex at its end. */
static bool row_holds(const struct apsp *p, int i, struct lab_check *check)
{
    const double *d = p->row_values;
    if (!(d[i] == 0.0)) {
        snprintf(check->message, sizeof check->message, "D[%d][%d] is %.9g, not %g", i, i,
                 apsp_shown(p, d[i]), apsp_shown(p, 0.0));
        return false;
    }
    for (size_t a = 0; a < p->graph.arc_count && !p->products; a++) {
        const struct lab_arc *arc = &p->graph.arcs[a];
        const double way = apsp_fit(p->type, d[arc->from] + arc->weight);
        if (!(d[arc->to] <= way + p->tolerance * fabs(way)) && isfinite(way)) {
            say_way(p, i, arc->to, d[arc->to], arc->from,
                    (const double[2]){d[arc->from], arc->weight}, check);
            return false;
        }
    }
    return true;
}

/* D[i][j] <= D[i][k] + D[k][j] for two rows i and k. */
static bool rows_hold(const struct apsp *p, int i, const double *row_i, int k, const double *row_k,
                      struct lab_check *check)
{
    for (int j = 0; j < p->n; j++) {
        const double way = apsp_fit(p->type, row_i[k] + row_k[j]);
        if (row_i[j] <= way + p->tolerance * fabs(way) || isinf(way))
            continue;
        say_way(p, i, j, row_i[j], k, (const double[2]){row_i[k], row_k[j]}, check);
        return false;
    }
    return true;
}

/* Checks further rows, where the reference has some rows only. */
static cudaError_t check_others(struct apsp *p, struct lab_check *check)
{
    double *before = malloc(p->n * sizeof *before);
    cudaError_t status = before ? cudaSuccess : cudaErrorMemoryAllocation;
    bool holds = true;
    int last = -1;
    for (int i = 0; i < APSP_OTHER_ROWS && status == cudaSuccess && holds; i++) {
        const int row = (int)((i * 2654435761ll + 12345) % p->n);
        status = apsp_fetch_row(p, row);
        if (status != cudaSuccess)
            break;
        holds = row_holds(p, row, check);
        if (holds && last >= 0 && !p->products)
            holds = rows_hold(p, last, before, row, p->row_values, check) &&
                    rows_hold(p, row, p->row_values, last, before, check);
        memcpy(before, p->row_values, p->n * sizeof *before);
        last = row;
    }
    if (status == cudaSuccess && !holds)
        check->status = LAB_CHECK_WRONG;
    free(before);
    return status;
}

/* --- paths -------------------------------------------------------------------------------------*/

static cudaError_t next_of(const struct apsp *p, int from, int to, int *next)
{
    const size_t at = (size_t)from * p->n + to;
    if (!p->next_host)
        return cudaMemcpy(next, (const int *)p->problem->buffers[APSP_NEXT].data + at, sizeof *next,
                          cudaMemcpyDeviceToHost);
    *next = p->next_host[at];
    return cudaSuccess;
}

/* Walks from one vertex to another: along arcs, to the end, in `length` altogether. */
static cudaError_t walk(const struct apsp *p, int from, int to, double length,
                        struct lab_check *check)
{
    double walked = 0.0;
    int at = from, steps = 0, next = -1;
    cudaError_t status = cudaSuccess;
    while (at != to && steps++ < p->n) {
        status = next_of(p, at, to, &next);
        if (status != cudaSuccess || next < 0 || next >= p->n ||
            isinf(lab_graph_weight(&p->graph, at, next)))
            break;
        walked += lab_graph_weight(&p->graph, at, next);
        at = next;
    }
    if (status != cudaSuccess || (at == to && error_of(p, walked, length) <= 2.0 * p->tolerance))
        return status;
    check->status = LAB_CHECK_WRONG;
    if (at == to)
        snprintf(check->message, sizeof check->message,
                 "the path from %d to %d is %.9g long, the distance is %.9g", from, to, walked,
                 length);
    else
        snprintf(check->message, sizeof check->message,
                 "the path from %d to %d ends at %d after %d steps: the next vertex there is %d",
                 from, to, at, steps - 1, next);
    return status;
}

static cudaError_t walk_row(const struct apsp *p, int i, struct lab_check *check)
{
    const int from = p->expected_row[i], stride = p->next_host ? 1 : 1 + p->n / APSP_WALKS;
    const double *expected = p->expected + (size_t)i * p->n;
    cudaError_t status = cudaSuccess;
    for (int to = from % stride; to < p->n; to += stride) {
        int next = -1;
        if (isfinite(expected[to]))
            status = walk(p, from, to, expected[to], check);
        else
            status = next_of(p, from, to, &next);
        if (next != -1) {
            check->status = LAB_CHECK_WRONG;
            snprintf(check->message, sizeof check->message,
                     "there is no path from %d to %d, but the next vertex is %d", from, to, next);
        }
        if (status != cudaSuccess || check->status != LAB_CHECK_OK)
            break;
    }
    return status;
}

static cudaError_t check_paths(struct apsp *p, struct lab_check *check)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(int);
    cudaError_t status = cudaSuccess;
    if (p->n <= APSP_ALL_ROWS_TO)
        p->next_host = malloc(bytes);
    if (p->next_host)
        status = cudaMemcpy(p->next_host, p->problem->buffers[APSP_NEXT].data, bytes,
                            cudaMemcpyDeviceToHost);
    for (int i = 0; i < p->expected_rows && status == cudaSuccess; i++) {
        status = walk_row(p, i, check);
        if (check->status != LAB_CHECK_OK)
            break;
    }
    free(p->next_host);
    p->next_host = NULL;
    return status;
}

cudaError_t apsp_check_more(struct lab_problem *problem, struct lab_check *check)
{
    struct apsp *p = problem->state;
    cudaError_t status = cudaSuccess;
    if (p->expected_rows < p->n && p->negative_vertex < 0)
        status = check_others(p, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK && p->paths)
        status = check_paths(p, check);
    return status;
}
