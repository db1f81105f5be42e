/* Finds neighbouring k whose products a wrong element lacks, or has twice, or has from another
 * element instead; and k that each tile lacks. One element may look so by chance, but its
 * neighbours hardly do so for the same k. */
#include "families/gemm/state.h"

#include "families/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Up to the first k a neighbouring tile is tried, up to the second only runs at an end of k. */
enum { ELEMENTS = 4, LARGEST_K = 2048, LARGEST_OF_ENDS = 1 << 16 };

/* Elements in a square, each with its error and its sums of the products before each k: `k + 1`
 * sums for each element. */
struct square {
    size_t row, column; /* of the first element */
    int count, k;
    bool has_scratch; /* a kernel may keep parts of a sum there */
    double tolerance, error[ELEMENTS], *sums[ELEMENTS];
};

bool gemm_copy_of_c(const struct lab_problem *p, size_t row, size_t column, double *value)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t each = gemm_element_bytes(g), place = gemm_place(g, GEMM_C, row, column);
    double d = 0.0;
    float f = 0.0f;
    if (cudaMemcpy(each == sizeof d ? (void *)&d : &f,
                   (const char *)p->buffers[GEMM_C].data + place * each, each,
                   cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
    *value = each == sizeof d ? d : (double)f;
    return true;
}

static double expected_at(const struct lab_problem *p, size_t row, size_t column)
{
    const struct lab_gemm *g = gemm_of(p);
    const void *const values = gemm_state_of(p)->expected;
    const size_t at = row * (size_t)g->n + column;
    return g->type == LAB_GEMM_F64 ? ((const double *)values)[at]
                                   : (double)((const float *)values)[at];
}

static void add_up(const struct lab_problem *p, size_t row, size_t column, double *sums)
{
    const struct lab_gemm *g = gemm_of(p);
    sums[0] = 0.0;
    for (int i = 0; i < g->k; i++)
        sums[i + 1] = sums[i] + g->alpha *
                                    gemm_input(p, GEMM_A, gemm_place(g, GEMM_A, row, (size_t)i)) *
                                    gemm_input(p, GEMM_B, gemm_place(g, GEMM_B, (size_t)i, column));
}

/* False if the element is right, or no number. */
static bool add_element(struct square *s, const struct lab_problem *p, size_t row, size_t column)
{
    double got;
    if (gemm_exponent(p, row, column) != 0 || !gemm_copy_of_c(p, row, column, &got))
        return false;
    add_up(p, row, column, s->sums[s->count]);
    s->error[s->count] = got - expected_at(p, row, column);
    return fabs(s->error[s->count++]) > 4.0 * s->tolerance;
}

static bool lacks_of_each_tile(const struct square *s, int tile, int from, int length)
{
    for (int e = 0; e < s->count; e++) {
        double missing = 0.0;
        for (int begin = from; begin < s->k; begin += tile) {
            const int end = begin + length < s->k ? begin + length : s->k;
            missing += s->sums[e][end] - s->sums[e][begin];
        }
        if (!(fabs(s->error[e] + missing) <= 2.0 * s->tolerance))
            return false;
    }
    return true;
}

/* The first or last few products of each tile of k are missing. In small tiles other mistakes look
 * the same. */
static bool say_part_of_tiles(const struct square *s, char *text, size_t size)
{
    enum { LEAST = 8, LARGEST = 256, MOST = 8 };
    for (int tile = LEAST; tile <= LARGEST && tile < s->k; tile++)
        for (int length = 1; length <= MOST && 2 * length <= tile; length++)
            for (int from = 0; from < tile; from += tile - length) {
                if (!lacks_of_each_tile(s, tile, from, length))
                    continue;
                snprintf(text, size,
                         "of each tile of %d products along k the %s %d (k = %d, %d, ...) %s "
                         "missing from the first of these: does the loop over a tile %s?",
                         tile, from ? "last" : "first", length, from, from + tile,
                         length > 1 ? "are" : "is", from ? "end too soon" : "begin too late");
                return true;
            }
    return false;
}

/* Only the first product of each tile is there. In a single row, or column, several mistakes leave
 * this. */
static bool say_first_of_tiles(const struct square *s, char *text, size_t size)
{
    enum { LARGEST = 128 };
    for (int tile = 4; tile <= LARGEST && tile < s->k; tile *= 2)
        if (lacks_of_each_tile(s, tile, 1, tile - 1)) {
            snprintf(
                text, size,
                "of each %d products along k the first (k = 0, %d, ...) alone is in the first "
                "of these: does the loop over a tile take one iteration, is a sum's index the k "
                "in place of the row or the column, or are those of a tile exchanged?",
                tile, tile);
            return true;
        }
    return false;
}

static bool has_panel_twice(const struct square *s, int tile, int twice, int missing)
{
    const int end_of_twice = twice + tile < s->k ? twice + tile : s->k;
    const int end_of_missing = missing + tile < s->k ? missing + tile : s->k;
    for (int e = 0; e < s->count; e++) {
        const double *const sums = s->sums[e];
        const double error =
            sums[end_of_twice] - sums[twice] - sums[end_of_missing] + sums[missing];
        if (!(fabs(s->error[e] - error) <= 2.0 * s->tolerance))
            return false;
    }
    return true;
}

/* The products of one panel are there twice, and another panel's, often the last one's, are not. */
static bool say_panel_twice(const struct square *s, char *text, size_t size)
{
    enum { LEAST = 4, LARGEST = 128 };
    for (int tile = LEAST; tile <= LARGEST && tile < s->k; tile *= 2)
        for (int twice = 0; twice < s->k; twice += tile)
            for (int missing = 0; missing < s->k; missing += tile) {
                if (twice == missing || !has_panel_twice(s, tile, twice, missing))
                    continue;
                char last[16] = "";
                if (missing + 1 < s->k)
                    snprintf(last, sizeof last, " to %d",
                             missing + tile < s->k ? missing + tile - 1 : s->k - 1);
                snprintf(text, size,
                         "the products of k = %d to %d are in the first of these twice, and those "
                         "of k = %d%s are not: which panel does an iteration load, and into which "
                         "buffer, and which does it read?",
                         twice, twice + tile - 1, missing, last);
                return true;
            }
    return false;
}

/* The last k of each element are missing, and the first k of other elements are in their place. */
static bool say_taken(const struct square *s, const struct square *other, char *text, size_t size)
{
    for (int from = 1; from < s->k; from++)
        for (int to = 1; to < s->k; to++) {
            bool is_so = true;
            for (int e = 0; e < s->count && is_so; e++)
                is_so = fabs(s->error[e] + s->sums[e][s->k] - s->sums[e][from] -
                             other->sums[e][to]) <= 2.0 * s->tolerance;
            if (!is_so)
                continue;
            snprintf(text, size,
                     "the products of k = %d to %d are missing from the first of these, and those "
                     "of k = 0 to %d of C[%zu][%zu] are there in their place: do two parts have "
                     "the same place in scratch memory?",
                     from, s->k - 1, to - 1, other->row, other->column);
            return true;
        }
    return false;
}

/* Compares with tiles to the right and below, of each size that tiles have. */
static bool say_other_tile(const struct square *s, const struct lab_problem *p, char *text,
                           size_t size)
{
    enum { LEAST = 4, LARGEST = 128 };
    const struct lab_gemm *g = gemm_of(p);
    struct square other = *s;
    double *const sums = malloc(ELEMENTS * ((size_t)g->k + 1) * sizeof *sums);
    bool is_said = false;
    for (size_t tile = 2; sums && !is_said && tile < 2 * LARGEST / LEAST + 2; tile++) {
        const size_t side = tile / 2 * LEAST;
        other.row = s->row + (tile % 2 == 0 ? 0 : side);
        other.column = s->column + (tile % 2 == 0 ? side : 0);
        if (other.row + 1 >= (size_t)g->m || other.column + 1 >= (size_t)g->n)
            continue;
        for (size_t i = 0; i < ELEMENTS; i++) {
            other.sums[i] = sums + i * ((size_t)g->k + 1);
            add_up(p, other.row + i / 2, other.column + i % 2, other.sums[i]);
        }
        is_said = say_taken(s, &other, text, size);
    }
    free(sums);
    return is_said;
}

/* --- parts in scratch memory ------------------------------------------------------------------ */

enum { MOST_PARTS = 16, PARTS_ACROSS = MOST_PARTS + 1 };

/* Whether each element of the square has the first `end` products of `parts` neighbours in its row,
 * beginning with itself. `sums`: of both rows, from the square's first column on. */
static bool has_neighbours(const struct square *s, double *const *sums, int parts, int end)
{
    const int columns = s->count > 2 ? 2 : s->count;
    for (int e = 0; e < s->count; e++) {
        double sum = 0.0;
        for (int i = 0; i < parts; i++)
            sum += sums[e / columns * PARTS_ACROSS + e % columns + i][end];
        if (!(fabs(s->error[e] + s->sums[e][s->k] - sum) <= 2.0 * s->tolerance))
            return false;
    }
    return true;
}

/* Says that parts of a tile overlap in scratch memory: each begins one element after another. */
static bool say_overlap(const struct square *s, const struct lab_problem *p, char *text,
                        size_t size)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t across = (size_t)g->k + 1;
    double *const room = calloc(2 * PARTS_ACROSS * across, sizeof *room), *sums[2 * PARTS_ACROSS];
    bool is_said = false;
    for (size_t i = 0; room && i < 2 * PARTS_ACROSS; i++) {
        const size_t row = s->row + i / PARTS_ACROSS, column = s->column + i % PARTS_ACROSS;
        sums[i] = room + i * across;
        if (row < (size_t)g->m && column < (size_t)g->n) /* beyond the edge a tile holds 0 */
            add_up(p, row, column, sums[i]);
    }
    for (int parts = 2; room && parts <= MOST_PARTS && !is_said; parts++)
        for (int end = 1; end < s->k && !is_said; end++) {
            if (!has_neighbours(s, sums, parts, end))
                continue;
            is_said = true;
            snprintf(text, size,
                     "the first of these has the products of k = 0 to %d of C[%zu][%zu] to "
                     "C[%zu][%zu], in place of all of its own: do the parts in scratch memory "
                     "overlap, %d of them one element apart, where each takes a whole tile?",
                     end - 1, s->row, s->column, s->row, s->column + (size_t)parts - 1, parts);
        }
    free(room);
    return is_said;
}

static bool say_run(const struct square *s, char *text, size_t size)
{
    struct lab_sums sums = {.index = "k",
                            .terms = "products",
                            .count = s->k,
                            .elements = s->count,
                            .has_scratch = s->has_scratch};
    for (int e = 0; e < s->count; e++) {
        sums.sums[e] = s->sums[e];
        sums.error[e] = s->error[e];
        sums.tolerance[e] = s->tolerance;
    }
    return lab_sums_say_run(&sums, text, size);
}

bool gemm_say_run_of_k(const struct lab_problem *p, const struct lab_finding *first, char *text,
                       size_t size)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t rows = first->row + 1 < (size_t)g->m ? 2 : 1;
    const size_t columns = first->column + 1 < (size_t)g->n ? 2 : 1;
    struct square s = {.row = first->row,
                       .column = first->column,
                       .k = g->k,
                       .has_scratch = lab_problem_scratch(p) != NULL,
                       .tolerance = gemm_tolerance(p)};
    if (g->k > LARGEST_OF_ENDS || rows * columns < 2)
        return false;
    double *const sums = malloc(ELEMENTS * ((size_t)g->k + 1) * sizeof *sums);
    bool is_said = sums != NULL;
    for (size_t i = 0; is_said && i < rows * columns; i++) {
        s.sums[i] = sums + i * ((size_t)g->k + 1);
        is_said = add_element(&s, p, first->row + i / columns, first->column + i % columns);
    }
    is_said = is_said &&
              (say_run(&s, text, size) || say_part_of_tiles(&s, text, size) ||
               say_first_of_tiles(&s, text, size) || say_panel_twice(&s, text, size) ||
               (s.count == ELEMENTS && g->k <= LARGEST_K && say_other_tile(&s, p, text, size)) ||
               (s.count == ELEMENTS && g->k <= LARGEST_K && s.has_scratch &&
                say_overlap(&s, p, text, size)));
    free(sums);
    return is_said;
}
