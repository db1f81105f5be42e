/* Products whose operand was read as if it were stored in another way: transposed, or with another
 * distance between its rows. Read so an operand gives a sum of its
 * own, which a wrong element is or is not. */
#include "families/gemm/state.h"

#include <math.h>
#include <stdio.h>

/* A way to read an operand. */
struct reading {
    enum gemm_matrix which;
    bool is_turned; /* row and column as it is stored are exchanged */
    size_t row;     /* elements from a row to the next */
};

static size_t place_of(const struct lab_gemm *g, const struct reading *r, size_t i, size_t j)
{
    const bool is_transposed = r->which == GEMM_A ? g->a_is_transposed : g->b_is_transposed;
    return r->is_turned != is_transposed ? j * r->row + i : i * r->row + j;
}

/* An element of C; NaN where that reads past an operand. */
static double sum_of(const struct lab_problem *p, const struct reading *r, size_t row,
                     size_t column)
{
    const struct lab_gemm *g = gemm_of(p);
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)g->k; i++) {
        size_t a = gemm_place(g, GEMM_A, row, i), b = gemm_place(g, GEMM_B, i, column);
        if (r->which == GEMM_A)
            a = place_of(g, r, row, i);
        else
            b = place_of(g, r, i, column);
        if (a >= p->arrays[GEMM_A].count || b >= p->arrays[GEMM_B].count)
            return NAN;
        sum += gemm_input(p, GEMM_A, a) * gemm_input(p, GEMM_B, b);
    }
    return g->alpha * sum;
}

static bool is_near(const struct lab_problem *p, const struct reading *r, size_t row, size_t column,
                    double got)
{
    const double c =
        gemm_of(p)->beta == 0.0f
            ? 0.0
            : gemm_of(p)->beta * gemm_input(p, GEMM_C, gemm_place(gemm_of(p), GEMM_C, row, column));
    return fabs(c + sum_of(p, r, row, column) - got) <= 2.0 * gemm_tolerance(p);
}

/* The same of an element beside the first, unless a guard may have kept what is read for it out. */
static bool may_be(const struct lab_problem *p, const struct reading *r, size_t row, size_t column)
{
    const struct gemm_stored stored = gemm_stored(gemm_of(p), r->which);
    const size_t line = r->which == GEMM_A ? row : column;
    double got;
    if (row >= (size_t)gemm_of(p)->m || column >= (size_t)gemm_of(p)->n || line >= stored.rows ||
        line >= stored.columns)
        return true;
    return gemm_copy_of_c(p, row, column, &got) && is_near(p, r, row, column, got);
}

static void say(const struct lab_gemm *g, const struct reading *r, char *text, size_t size)
{
    const char name = "AB"[r->which];
    const struct gemm_stored stored = gemm_stored(g, r->which);
    if (r->is_turned)
        snprintf(text, size,
                 "that is the sum with %c's row and column exchanged: %c is stored %zu x %zu, with "
                 "%zu elements from a row to the next; look at its index, and at that of its tile "
                 "if it has one",
                 name, name, stored.rows, stored.columns, stored.row);
    else
        snprintf(text, size,
                 "that is the sum with rows of %c taken to lie %zu elements apart; they lie %zu "
                 "apart: look at its index",
                 name, r->row, stored.row);
}

bool gemm_say_stored(const struct lab_problem *p, const struct lab_finding *first, char *text,
                     size_t size)
{
    const struct lab_gemm *g = gemm_of(p);
    if (g->k < 4 || gemm_exponent(p, first->row, first->column) != 0 ||
        fabs(first->got - first->expected) <= 4.0 * gemm_tolerance(p))
        return false; /* few products, or little error: by chance */
    for (enum gemm_matrix which = GEMM_A; which <= GEMM_B; which++) {
        const struct gemm_stored stored = gemm_stored(g, which);
        const size_t rows[] = {stored.rows, stored.row, (size_t)g->m, (size_t)g->n, (size_t)g->k};
        for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
            const struct reading r = {which, i % 2 == 0, rows[i / 2]};
            if ((r.is_turned || r.row != stored.row) &&
                is_near(p, &r, first->row, first->column, first->got) &&
                may_be(p, &r, first->row, first->column + 1) &&
                may_be(p, &r, first->row + 1, first->column)) {
                say(g, &r, text, size);
                return true;
            }
        }
    }
    return false;
}
