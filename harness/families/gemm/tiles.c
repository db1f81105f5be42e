/* Products whose tile of A or B was filled or read at the wrong place: with its row and column
 * exchanged, or by the other one of a thread's coordinates; and those added to the sum of another
 * row or column. */
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

/* Whether an element is made of this sum of products. */
static bool is_sum(const struct lab_problem *p, size_t row, size_t column, double sum)
{
    const struct lab_gemm *g = gemm_of(p);
    double got;
    if (gemm_exponent(p, row, column) != 0 || !gemm_copy_of_c(p, row, column, &got))
        return false;
    sum *= g->alpha;
    if (g->beta != 0.0f)
        sum += g->beta * gemm_input(p, GEMM_C, gemm_place(g, GEMM_C, row, column));
    return fabs(sum - got) <= 2.0 * gemm_tolerance(p);
}

/* Whether an element, if it is one of C, is the sum that this gives. */
static bool gives(const struct lab_problem *p, const struct taking *t, size_t row, size_t column)
{
    const struct lab_gemm *g = gemm_of(p);
    double sum = 0.0;
    if (row >= (size_t)g->m || column >= (size_t)g->n)
        return true;
    for (size_t i = 0; i < (size_t)g->k; i++)
        sum += factor_of_a(p, t, row, column, i) * factor_of_b(p, t, row, column, i);
    return is_sum(p, row, column, sum);
}

/* Whether the tile along the side that tells has more than one row, or column: else several
 * mistakes look alike. */
static bool is_told(const struct lab_problem *p, const struct taking *t, size_t row, size_t column)
{
    const size_t m = (size_t)gemm_of(p)->m, n = (size_t)gemm_of(p)->n, side = t->side;
    if (t->is_turned)
        return t->which == GEMM_A ? row - row % side + 1 < m : column - column % side + 1 < n;
    return t->which == GEMM_A ? column + 1 < n : row + 1 < m;
}

/* The elements beside the first wrong one do not look so by chance, and those of the next tiles
 * tell a tile from a part of a larger one. */
static bool explains(const struct lab_problem *p, const struct taking *t, size_t row, size_t column)
{
    return is_told(p, t, row, column) && gives(p, t, row, column) && gives(p, t, row, column + 1) &&
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

/* --- a sum by k ------------------------------------------------------------------------------- */

/* An element to whose sum, the i-th of a thread, the products of the i-th k of each tile are added,
 * those of all rows, or columns, of the tile. */
static double sum_by_k(const struct lab_problem *p, enum gemm_matrix which, size_t lines,
                       size_t side, size_t row, size_t column)
{
    const size_t own = which == GEMM_A ? row : column, first = own - own % lines;
    double sum = 0.0;
    if (own - first >= side)
        return 0.0;
    for (size_t k = own - first; k < (size_t)gemm_of(p)->k; k += side)
        for (size_t line = first; line < first + lines; line++)
            sum += element(p, GEMM_A, which == GEMM_A ? line : row, k) *
                   element(p, GEMM_B, k, which == GEMM_A ? column : line);
    return sum;
}

/* As many neighbours as tell that from a tile with row and column exchanged. */
static bool are_by_k(const struct lab_problem *p, enum gemm_matrix which, size_t lines, size_t side,
                     const struct lab_finding *first)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t own = which == GEMM_A ? first->row : first->column;
    if (own - own % lines + 1 >= (size_t)(which == GEMM_A ? g->m : g->n))
        return false;
    for (size_t row = first->row; row < first->row + 2 && row < (size_t)g->m; row++)
        for (size_t column = first->column; column < first->column + 2 && column < (size_t)g->n;
             column++)
            if (!is_sum(p, row, column, sum_by_k(p, which, lines, side, row, column)))
                return false;
    return true;
}

static bool say_by_k(const struct lab_problem *p, const struct lab_finding *first, size_t side,
                     char *text, size_t size)
{
    enum { LARGEST = 128 };
    for (enum gemm_matrix which = GEMM_A; which <= GEMM_B; which++)
        for (size_t lines = side; lines <= LARGEST; lines *= 2) {
            const char *const line = which == GEMM_A ? "row" : "column";
            if (!are_by_k(p, which, lines, side, first))
                continue;
            snprintf(
                text, size,
                "%s i of a tile has the products of k = i of each tile of k, and of all %ss of "
                "the tile: is the sum's index the %s, or the k?",
                line, line, line);
            return true;
        }
    return false;
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
    for (size_t side = LEAST; side <= LARGEST; side *= 2) {
        for (int way = 0; way < WAYS; way++) {
            const struct taking t = {way % 2 ? GEMM_B : GEMM_A, way < 2, side};
            if (explains(p, &t, first->row, first->column)) {
                say(&t, text, size);
                return true;
            }
        }
        if (say_by_k(p, first, side, text, size))
            return true;
    }
    return false;
}
