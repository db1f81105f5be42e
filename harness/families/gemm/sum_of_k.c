/* Products that are added to a thread's sum number k, where they belong to that of their row or
 * column. */
#include "families/gemm/state.h"

#include <math.h>
#include <stdio.h>

/* Behind the edges there is 0 in a tile. */
static double element(const struct lab_problem *p, enum gemm_matrix which, size_t i, size_t j)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t rows = (size_t)(which == GEMM_A ? g->m : g->k);
    const size_t columns = (size_t)(which == GEMM_A ? g->k : g->n);
    return i < rows && j < columns ? gemm_input(p, which, gemm_place(g, which, i, j)) : 0.0;
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

bool gemm_say_sum_of_k(const struct lab_problem *p, const struct lab_finding *first, char *text,
                       size_t size)
{
    enum { LEAST = 4, LARGEST = 64 };
    const struct lab_gemm *g = gemm_of(p);
    const double old =
        g->beta == 0.0f
            ? 0.0
            : g->beta * gemm_input(p, GEMM_C, gemm_place(g, GEMM_C, first->row, first->column));
    if (g->k < 4 || fabs(first->got - first->expected) <= 4.0 * gemm_tolerance(p) ||
        fabs(first->got - old) <= 4.0 * gemm_tolerance(p))
        return false; /* few products or none, or little error: by chance */
    for (size_t side = LEAST; side <= LARGEST; side *= 2)
        if (say_by_k(p, first, side, text, size))
            return true;
    return false;
}
