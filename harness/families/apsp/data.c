/* Data of family apsp: the graph, its matrix of arcs on the device, and what is refused. */
#include "families/apsp/apsp.h"

#include "base/files.h"
#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GIB = 1 << 30;

static const double U = 0x1p-24; /* one rounding of f32 */

/* Lengths of s32 with negative weights stay below this in amount: see struct lab_apsp. */
static const double SIGNED_LIMIT = 1 << 28;

size_t apsp_element_bytes(const struct apsp *p)
{
    return p->type == LAB_APSP_U16 ? sizeof(uint16_t) : sizeof(float);
}

double apsp_fit(enum lab_apsp_type type, double length)
{
    const double most = type == LAB_APSP_S32   ? (double)INT_MAX
                        : type == LAB_APSP_U16 ? (double)USHRT_MAX
                                               : (double)INFINITY;
    return length < most ? length : (double)INFINITY;
}

void apsp_widen(const struct apsp *p, const void *elements, double *values, size_t count)
{
    const enum lab_apsp_type type = p->type;
    for (size_t i = 0; i < count; i++) {
        const double value = type == LAB_APSP_F32   ? (double)((const float *)elements)[i]
                             : type == LAB_APSP_S32 ? (double)((const int *)elements)[i]
                                                    : (double)((const uint16_t *)elements)[i];
        values[i] = p->ring->to_length(value);
        if (type != LAB_APSP_F32)
            values[i] = apsp_fit(type, values[i]);
    }
}

double apsp_shown(const struct apsp *p, double value)
{
    return p->ring->of_length(value);
}

static void put_element(const struct apsp *p, void *elements, int i, double value)
{
    value = apsp_shown(p, apsp_fit(p->type, value)); /* infinite where only a number will do */
    if (p->type == LAB_APSP_F32)
        ((float *)elements)[i] = (float)value;
    else if (p->type == LAB_APSP_S32)
        ((int *)elements)[i] = isfinite(value) ? (int)value : INT_MAX;
    else
        ((uint16_t *)elements)[i] = isfinite(value) ? (uint16_t)value : USHRT_MAX;
}

/* Decides by the type once a row, not once an element: a large matrix has billions. */
static void fill_with_no_path(const struct apsp *p, void *elements)
{
    if (p->type == LAB_APSP_F32)
        for (int j = 0; j < p->n; j++)
            ((float *)elements)[j] = (float)p->ring->zero;
    else if (p->type == LAB_APSP_S32)
        for (int j = 0; j < p->n; j++)
            ((int *)elements)[j] = INT_MAX;
    else
        memset(elements, p->ring->zero == 0.0 ? 0 : 0xFF, p->n * sizeof(uint16_t));
}

void apsp_fill_row(const struct apsp *p, int row, void *elements)
{
    fill_with_no_path(p, elements);
    put_element(p, elements, row, 0.0);
    for (size_t i = p->graph.first[row]; i < p->graph.first[row + 1]; i++)
        put_element(p, elements, p->graph.arcs[i].to, p->graph.arcs[i].weight);
}

/* --- what is refused ---------------------------------------------------------------------------*/

/* Runs before anything of that size is allocated. */
static int check_memory(const struct apsp *p)
{
    size_t free_bytes = 0, total = 0;
    const double elements = (double)p->n * p->n;
    const double needed = elements * (2.0 * apsp_element_bytes(p) + (p->paths ? 4.0 : 0.0));
    cudaMemGetInfo(&free_bytes, &total);
    if (needed + 8.0 * LAB_GUARD_BYTES <= (double)free_bytes)
        return LAB_EXIT_OK;
    const bool half_fits = p->type != LAB_APSP_U16 && p->semiring == LAB_APSP_MIN_PLUS &&
                           needed / 2.0 < (double)free_bytes;
    return lab_complain(LAB_EXIT_USAGE,
                        "a graph of %d vertices needs %.1f GiB of device memory, %.1f GiB are "
                        "free; take a smaller one%s",
                        p->n, needed / GIB, (double)free_bytes / GIB,
                        half_fits && !p->paths ? ", or --type u16" : "");
}

static int check_weights(const struct apsp *p)
{
    const struct lab_graph *g = &p->graph;
    const double most = p->type == LAB_APSP_F32   ? 0x1p126
                        : p->type == LAB_APSP_S32 ? (double)INT_MAX - 1
                                                  : (double)USHRT_MAX - 1;
    const double amount = fmax(fabs(g->least), fabs(g->largest));
    if (p->type != LAB_APSP_F32 && !g->whole)
        return lab_complain(LAB_EXIT_USAGE,
                            "weights that are no whole numbers need --type f32, not %s",
                            p->type == LAB_APSP_S32 ? "s32" : "u16");
    if (p->type == LAB_APSP_U16 && g->least < 0.0)
        return lab_complain(LAB_EXIT_USAGE,
                            "a weight of %g is below 0: --type u16 has none, give s32 or f32",
                            g->least);
    if (amount > most)
        return lab_complain(LAB_EXIT_USAGE, "a weight of %.10g: --type %s holds at most %.10g",
                            apsp_shown(p, amount == g->largest ? g->largest : g->least),
                            p->type == LAB_APSP_F32   ? "f32"
                            : p->type == LAB_APSP_S32 ? "s32"
                                                      : "u16",
                            most);
    if (p->type == LAB_APSP_F32 && (p->n - 1.0) * amount >= 0x1p127)
        return lab_complain(
            LAB_EXIT_USAGE,
            "weights of up to %g could add up to more than --type f32 holds; divide "
            "them all by the same number",
            amount);
    if (p->type == LAB_APSP_S32 && g->least < 0.0 && (p->n - 1.0) * amount >= SIGNED_LIMIT)
        return lab_complain(LAB_EXIT_USAGE,
                            "weights of both signs up to %.10g in amount could add up to more than "
                            "--type s32 holds; give f32",
                            amount);
    return LAB_EXIT_OK;
}

/* Rounds weights as the device does, so that the reference starts from the same numbers. */
static void round_weights(struct apsp *p)
{
    struct lab_graph *g = &p->graph;
    for (size_t i = 0; i < g->arc_count && p->type == LAB_APSP_F32; i++)
        g->arcs[i].weight = (float)g->arcs[i].weight;
    if (p->type == LAB_APSP_F32) {
        g->least = (float)g->least;
        g->largest = (float)g->largest;
    }
}

/* Checks the two ends of the path that is to be printed. */
static int check_ends(const struct apsp *p)
{
    const struct apsp_options *options = p->own;
    const long long ends[] = {options->from, options->to};
    for (int i = 0; options->has_ends && i < 2; i++)
        if (lab_graph_vertex(&p->graph, ends[i]) < 0)
            return lab_complain(LAB_EXIT_USAGE,
                                "--%s %lld: there is no such vertex; they go from %lld to %lld",
                                i ? "to" : "from", ends[i], lab_graph_label(&p->graph, 0),
                                lab_graph_label(&p->graph, p->n - 1));
    return LAB_EXIT_OK;
}

/* Complains now, not after everything is computed. An existing file stays as it is. */
static int check_writable(const char *option, const char *path)
{
    if (!path)
        return LAB_EXIT_OK;
    const int reason = lab_new_file_try(path);
    return reason ? lab_complain(LAB_EXIT_USAGE, "%s %s: %s", option, path, strerror(reason))
                  : LAB_EXIT_OK;
}

/* --- the graph ---------------------------------------------------------------------------------*/

static int make_graph(struct apsp *p)
{
    const struct apsp_options *options = p->own;
    struct lab_graph_request request = {
        .file = options->graph,
        .generator = options->generator,
        .n = p->n,
        .arcs = options->arcs >= 0 ? options->arcs : (long long)(options->degree * p->n),
        .probability = options->probability,
        .low = options->low,
        .high = options->high,
        .seed = p->problem->options->problem.seed,
    };
    int status = request.file ? LAB_EXIT_OK : check_memory(p);
    if (status == LAB_EXIT_OK)
        status = request.file ? lab_graph_read(request.file, &p->graph)
                              : lab_graph_generate(&request, &p->graph);
    for (size_t i = 0; i < p->graph.arc_count; i++)
        p->graph.arcs[i].weight = p->ring->of_weight(p->graph.arcs[i].weight);
    if (status == LAB_EXIT_OK) {
        p->n = p->graph.n;
        status = check_memory(p);
    }
    return status == LAB_EXIT_OK ? lab_graph_finish(&p->graph) : status;
}

/* True when f32 may miss that the cycle is negative; never where all sums are whole and exact. */
static bool is_doubtful(const struct apsp *p, const struct lab_cycle *cycle)
{
    const bool exact = p->graph.whole && cycle->amounts <= 1 << 24;
    return p->type == LAB_APSP_F32 && !exact && -cycle->length <= p->n * U * cycle->amounts;
}

static int find_potentials(struct apsp *p)
{
    if (p->graph.least >= 0.0)
        return LAB_EXIT_OK;
    p->potential = malloc(p->n * sizeof *p->potential);
    if (!p->potential)
        return lab_complain(LAB_EXIT_USAGE, "no memory on the host for %d vertices", p->n);
    struct lab_cycle cycle;
    int status = lab_graph_potentials(&p->graph, p->potential, &cycle);
    p->negative_vertex = cycle.vertex;
    if (cycle.vertex >= 0 && is_doubtful(p, &cycle))
        return lab_complain(LAB_EXIT_USAGE,
                            "a cycle through vertex %lld is %g long, its arcs %g: too near 0 to be "
                            "told from it by --type f32, which rounds",
                            lab_graph_label(&p->graph, cycle.vertex), apsp_shown(p, cycle.length),
                            cycle.amounts);
    if (status == LAB_EXIT_OK && p->negative_vertex >= 0 && (p->paths || p->own->out))
        return lab_complain(LAB_EXIT_USAGE,
                            "no paths and no distances: a cycle of %s length passes through "
                            "vertex %lld",
                            p->semiring == LAB_APSP_MAX_PLUS ? "positive" : "negative",
                            lab_graph_label(&p->graph, p->negative_vertex));
    return status;
}

int apsp_create(struct apsp *p)
{
    const struct apsp_options *options = p->own;
    int status = check_writable("--out", options->out);
    if (status == LAB_EXIT_OK)
        status = check_writable("--next", options->next);
    if (status == LAB_EXIT_OK)
        status = make_graph(p);
    if (status == LAB_EXIT_OK)
        status = check_weights(p);
    if (status == LAB_EXIT_OK)
        status = check_ends(p);
    if (status == LAB_EXIT_OK)
        round_weights(p);
    if (status == LAB_EXIT_OK)
        status = find_potentials(p);
    if (status != LAB_EXIT_OK)
        return status;
    if (cudaMallocHost(&p->row_bytes, p->n * apsp_element_bytes(p)) != cudaSuccess)
        cudaGetLastError();
    p->row_values = malloc(p->n * sizeof *p->row_values);
    p->row_next = malloc(p->n * sizeof *p->row_next);
    if (!p->row_bytes || !p->row_values || !p->row_next)
        return lab_complain(LAB_EXIT_USAGE, "no memory on the host for %d vertices", p->n);
    return LAB_EXIT_OK;
}

void apsp_destroy(struct lab_problem *problem)
{
    struct apsp *p = problem->state;
    lab_graph_release(&p->graph);
    free(p->potential);
    free(p->expected_row);
    free(p->expected);
    cudaFreeHost(p->row_bytes);
    free(p->row_values);
    free(p->row_next);
}

cudaError_t apsp_fetch_row(struct apsp *p, int row)
{
    const size_t bytes = p->n * apsp_element_bytes(p);
    cudaError_t status =
        cudaMemcpy(p->row_bytes, (char *)p->problem->buffers[APSP_D].data + row * bytes, bytes,
                   cudaMemcpyDeviceToHost);
    if (status == cudaSuccess)
        apsp_widen(p, p->row_bytes, p->row_values, p->n);
    return status;
}

cudaError_t apsp_fetch_next(struct apsp *p, int row)
{
    const size_t bytes = p->n * sizeof(int);
    return cudaMemcpy(p->row_next, (char *)p->problem->buffers[APSP_NEXT].data + row * bytes, bytes,
                      cudaMemcpyDeviceToHost);
}
