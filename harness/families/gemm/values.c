/* How the matrices of family gemm lie in memory, and their values: plain, spread over magnitudes,
 * or with an infinity and a NaN among them. Each is a function of seed and place, as in inputs.c;
 * the place is counted without gaps, so that leading dimensions change no value. */
#include "families/gemm/state.h"

#include "base/array.h"
#include "families/inputs.h"

#include <math.h>
#include <string.h>

enum { EXPONENTS = 41 }; /* from -20 to 20: products stay far from overflow */

/* --- layout ------------------------------------------------------------------------------------*/

static bool is_transposed(const struct lab_gemm *g, enum gemm_matrix which)
{
    return (which == GEMM_A && g->a_is_transposed) || (which == GEMM_B && g->b_is_transposed);
}

struct gemm_stored gemm_stored(const struct lab_gemm *g, enum gemm_matrix which)
{
    const size_t rows = (size_t)(which == GEMM_B ? g->k : g->m);
    const size_t columns = (size_t)(which == GEMM_A ? g->k : g->n);
    const size_t row = (size_t)(which == GEMM_A ? g->row_a : which == GEMM_B ? g->row_b : g->row_c);
    return is_transposed(g, which) ? (struct gemm_stored){columns, rows, row}
                                   : (struct gemm_stored){rows, columns, row};
}

size_t gemm_place(const struct lab_gemm *g, enum gemm_matrix which, size_t i, size_t j)
{
    const size_t row = gemm_stored(g, which).row;
    return is_transposed(g, which) ? j * row + i : i * row + j;
}

/* --- values ------------------------------------------------------------------------------------*/

static enum lab_element element_of(const struct lab_gemm *g)
{
    return g->type == LAB_GEMM_F64 ? LAB_ELEMENT_F64 : LAB_ELEMENT_F32;
}

static double get(const struct lab_gemm *g, const void *values, size_t i)
{
    return lab_element_value(element_of(g), (const char *)values + i * gemm_element_bytes(g));
}

/* The exponent of the power of two that belongs to a row, or a column, of the product. */
static int exponent(const struct lab_problem *p, enum gemm_matrix which, size_t index)
{
    float value;
    unsigned bits;
    if (gemm_state_of(p)->values != GEMM_VALUES_SPREAD)
        return 0;
    lab_inputs_fill(&value, index, 1, lab_inputs_seed(p->options->problem.seed ^ 0x5eedu, which));
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits % EXPONENTS) - EXPONENTS / 2;
}

int gemm_exponent(const struct lab_problem *p, size_t row, size_t column)
{
    return exponent(p, GEMM_A, row) + exponent(p, GEMM_B, column);
}

/* The exponent of an element at a row and column as stored. */
static int element_exponent(const struct lab_problem *p, enum gemm_matrix which, size_t row,
                            size_t column)
{
    const bool turned = is_transposed(gemm_of(p), which);
    if (which == GEMM_A)
        return exponent(p, GEMM_A, turned ? column : row);
    if (which == GEMM_B)
        return exponent(p, GEMM_B, turned ? row : column);
    return gemm_exponent(p, row, column);
}

static size_t size_of(const struct gemm_stored *stored)
{
    return stored->rows * stored->columns;
}

/* The place of A's or C's infinity, or of B's NaN, counted without gaps. */
static size_t special_place(const struct lab_problem *p, enum gemm_matrix which)
{
    const struct gemm_stored stored = gemm_stored(gemm_of(p), which);
    return lab_inputs_place(p->options->problem.seed, which, size_of(&stored));
}

static void place(const struct lab_gemm *g, double value, size_t at, void *values, size_t first,
                  size_t count)
{
    lab_element_put(element_of(g), value, at, values, first, count);
}

/* One infinity in A makes a row of C infinite, one NaN in B makes a column NaN, one infinity in C
 * stays where it is, the rest is finite. In row 0 the NaN is multiplied by 0, and in column 0 the
 * infinity: both products are NaN, too. */
static void place_special(const struct lab_problem *p, enum gemm_matrix which, void *values,
                          size_t first, size_t count)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t in_a = special_place(p, GEMM_A), in_b = special_place(p, GEMM_B);
    const size_t m = (size_t)g->m, n = (size_t)g->n, k = (size_t)g->k;
    const size_t of_infinity = g->a_is_transposed ? in_a / m : in_a % k;
    const size_t of_nan = g->b_is_transposed ? in_b % k : in_b / n;
    if (which == GEMM_A) {
        place(g, 0.0, g->a_is_transposed ? of_nan * m : of_nan, values, first, count);
        place(g, (double)INFINITY, in_a, values, first, count);
    } else if (which == GEMM_B) {
        place(g, 0.0, g->b_is_transposed ? of_infinity : of_infinity * n, values, first, count);
        place(g, (double)NAN, in_b, values, first, count);
    } else if (g->beta != 0.0f) {
        place(g, (double)-INFINITY, special_place(p, GEMM_C), values, first, count);
    }
}

/* `first`: the place of the first element, without gaps. */
static void fill_dense(const struct lab_problem *p, int which, void *values, size_t first,
                       size_t count)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t columns = gemm_stored(g, which).columns;
    lab_problem_fill_numbers(p, which, values, first, count);
    if (gemm_state_of(p)->values == GEMM_VALUES_SPREAD)
        for (size_t i = 0; i < count; i++)
            lab_element_set(
                element_of(g), values, i,
                ldexp(get(g, values, i),
                      element_exponent(p, which, (first + i) / columns, (first + i) % columns)));
    if (gemm_state_of(p)->values == GEMM_VALUES_SPECIAL)
        place_special(p, which, values, first, count);
}

void gemm_fill(const struct lab_problem *p, int which, void *to, size_t first, size_t count)
{
    const struct lab_gemm *g = gemm_of(p);
    const struct gemm_stored stored = gemm_stored(g, which);
    const size_t each = gemm_element_bytes(g);
    if (stored.row == stored.columns) {
        fill_dense(p, which, to, first, count);
        return;
    }
    lab_problem_fill_numbers(p, which, to, size_of(&stored) + first,
                             count); /* what the gaps hold */
    for (size_t done = 0; done < count;) {
        const size_t row = (first + done) / stored.row, column = (first + done) % stored.row;
        const size_t left = stored.row - column < count - done ? stored.row - column : count - done;
        const size_t there = column < stored.columns ? stored.columns - column : 0;
        fill_dense(p, which, (char *)to + done * each, row * stored.columns + column,
                   there < left ? there : left);
        done += left;
    }
}

double gemm_input(const struct lab_problem *p, enum gemm_matrix which, size_t index)
{
    double value[1];
    gemm_fill(p, which, value, index, 1);
    return get(gemm_of(p), value, 0);
}

/* Scaling by a power of two is exact, so results are compared as if the inputs had not been spread,
 * within the same tolerance. An unwritten element keeps its bits. */
void gemm_unspread(const struct lab_problem *p, void *c, size_t row, size_t column, size_t count)
{
    const struct lab_gemm *g = gemm_of(p);
    if (gemm_state_of(p)->values != GEMM_VALUES_SPREAD)
        return;
    for (size_t i = 0; i < count; i++)
        if (!isnan(get(g, c, i)))
            lab_element_set(element_of(g), c, i,
                            ldexp(get(g, c, i), -gemm_exponent(p, row, column + i)));
}
