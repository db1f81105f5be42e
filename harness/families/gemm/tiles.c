/* Products whose tile of A or B was filled or read at the wrong place: with its row and column
 * exchanged, or by the other one of a thread's coordinates. */
#include "families/gemm/state.h"

#include <math.h>
#include <stdio.h>

/* A way to take a square tile. */
struct taking {
    enum gemm_matrix which;
    bool is_turned; /* row and column within the tile are exchanged; else the other coordinate */
    size_t side;
};

/* Behind the edges there is 0 in a tile. */
static double element(const struct lab_problem *p, enum gemm_matrix which, size_t i, size_t j)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t rows = (size_t)(which == GEMM_A ? g->m : g->k);
    const size_t columns = (size_t)(which == GEMM_A ? g->k : g->n);
    return i < rows && j < columns ? gemm_input(p, which, gemm_place(g, which, i, j)) : 0.0;
}

static double factor_of_a(const struct lab_problem *p, const struct taking *t, size_t row,
                          size_t column, size_t i)
{
    const size_t side = t->side, first_row = row - row % side, first_k = i - i % side;
    if (t->which != GEMM_A)
        return element(p, GEMM_A, row, i);
    return t->is_turned ? element(p, GEMM_A, first_row + i % side, first_k + row % side)
                        : element(p, GEMM_A, first_row + column % side, i);
}

static double factor_of_b(const struct lab_problem *p, const struct taking *t, size_t row,
                          size_t column, size_t i)
{
    const size_t side = t->side, first_column = column - column % side, first_k = i - i % side;
    if (t->which != GEMM_B)
        return element(p, GEMM_B, i, column);
    return t->is_turned ? element(p, GEMM_B, first_k + column % side, first_column + i % side)
                        : element(p, GEMM_B, i, first_column + row % side);
}

/* Whether an element, if it is one of C, is the sum that this gives. */
static bool gives(const struct lab_problem *p, const struct taking *t, size_t row, size_t column)
{
    const struct lab_gemm *g = gemm_of(p);
    double sum = 0.0, got;
    if (row >= (size_t)g->m || column >= (size_t)g->n)
        return true;
    if (gemm_exponent(p, row, column) != 0 || !gemm_copy_of_c(p, row, column, &got))
        return false;
    for (size_t i = 0; i < (size_t)g->k; i++)
        sum += factor_of_a(p, t, row, column, i) * factor_of_b(p, t, row, column, i);
    sum *= g->alpha;
    if (g->beta != 0.0f)
        sum += g->beta * gemm_input(p, GEMM_C, gemm_place(g, GEMM_C, row, column));
    return fabs(sum - got) <= 2.0 * gemm_tolerance(p);
}

/* The elements beside the first wrong one do not look so by chance, and those of the next tiles
 * tell a tile from a part of a larger one. */
static bool explains(const struct lab_problem *p, const struct taking *t, size_t row, size_t column)
{
    const struct lab_gemm *g = gemm_of(p);
    const bool is_told =
        t->is_turned || (t->which == GEMM_A ? column + 1 < (size_t)g->n : row + 1 < (size_t)g->m);
    return is_told && gives(p, t, row, column) && gives(p, t, row, column + 1) &&
           gives(p, t, row + 1, column) && gives(p, t, row, column + t->side) &&
           gives(p, t, row + t->side, column);
}

static void say(const struct taking *t, char *text, size_t size)
{
    const char name = "AB"[t->which];
    if (t->is_turned)
        snprintf(text, size,
                 "that is the sum with row and column exchanged within each tile of %c, %zu x %zu: "
                 "look at the index of %c's tile in shared memory, where it is filled and where it "
                 "is read",
                 name, t->side, t->side, name);
    else
        snprintf(text, size,
                 "that is the sum with the tile of %c, %zu x %zu, taken in the %s that belongs to "
                 "the thread's %s: look at the thread's coordinates in the index of %c's tile",
                 name, t->side, t->side, t->which == GEMM_A ? "row" : "column",
                 t->which == GEMM_A ? "column" : "row", name);
}

bool gemm_say_tile(const struct lab_problem *p, const struct lab_finding *first, char *text,
                   size_t size)
{
    enum { LEAST = 4, LARGEST = 64, WAYS = 4 };
    const struct lab_gemm *g = gemm_of(p);
    const double old =
        g->beta == 0.0f
            ? 0.0
            : g->beta * gemm_input(p, GEMM_C, gemm_place(g, GEMM_C, first->row, first->column));
    if (g->k < 4 || fabs(first->got - first->expected) <= 4.0 * gemm_tolerance(p) ||
        fabs(first->got - old) <= 4.0 * gemm_tolerance(p))
        return false; /* few products or none, or little error: by chance */
    for (size_t side = LEAST; side <= LARGEST; side *= 2)
        for (int way = 0; way < WAYS; way++) {
            const struct taking t = {way % 2 ? GEMM_B : GEMM_A, way < 2, side};
            if (explains(p, &t, first->row, first->column)) {
                say(&t, text, size);
                return true;
            }
        }
    return false;
}
