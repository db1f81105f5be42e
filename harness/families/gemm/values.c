/* Input values of family gemm: plain, spread over magnitudes, or with an infinity and a NaN among
 * them. Each element is a function of seed and index, as in inputs.c. */
#include "families/gemm/state.h"

#include "families/inputs.h"

#include <math.h>
#include <string.h>

enum { EXPONENTS = 41 }; /* from -20 to 20: products stay far from overflow */

size_t gemm_count(const struct lab_gemm *gemm, enum gemm_matrix which)
{
    return which == GEMM_A   ? (size_t)gemm->m * gemm->k
           : which == GEMM_B ? (size_t)gemm->k * gemm->n
                             : (size_t)gemm->m * gemm->n;
}

/* The power of two that belongs to row i of the product, or to column j. */
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

static int element_exponent(const struct lab_problem *p, enum gemm_matrix which, size_t index)
{
    const struct lab_gemm *gemm = gemm_of(p);
    size_t m = (size_t)gemm->m, n = (size_t)gemm->n, k = (size_t)gemm->k;
    if (which == GEMM_A)
        return exponent(p, GEMM_A, gemm->a_is_transposed ? index % m : index / k);
    if (which == GEMM_B)
        return exponent(p, GEMM_B, index % n);
    return gemm_exponent(p, index / n, index % n);
}

/* Where the infinity of A is, or the NaN of B. */
static size_t special_place(const struct lab_problem *p, enum gemm_matrix which)
{
    return (p->options->problem.seed * 2654435761u + (which == GEMM_B) * 40503u) %
           gemm_count(gemm_of(p), which);
}

static void place(float value, size_t at, float *values, size_t first, size_t count)
{
    if (at >= first && at - first < count)
        values[at - first] = value;
}

/* One infinity in A, one NaN in B: a row of C becomes infinite, a column NaN, the rest is finite.
 * In row 0 the NaN meets a 0, as the infinity does in column 0: the product is NaN all the same. */
static void place_special(const struct lab_problem *p, enum gemm_matrix which, float *values,
                          size_t first, size_t count)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t in_a = special_place(p, GEMM_A), in_b = special_place(p, GEMM_B);
    const size_t m = (size_t)g->m, n = (size_t)g->n, k = (size_t)g->k;
    const size_t of_infinity = g->a_is_transposed ? in_a / m : in_a % k, of_nan = in_b / n;
    if (which == GEMM_A) {
        place(0.0f, g->a_is_transposed ? of_nan * m : of_nan, values, first, count);
        place(INFINITY, in_a, values, first, count);
    } else if (which == GEMM_B) {
        place(0.0f, of_infinity * n, values, first, count);
        place(NAN, in_b, values, first, count);
    }
}

void gemm_fill(const struct lab_problem *p, int which, void *to, size_t first, size_t count)
{
    float *values = to;
    lab_inputs_fill(values, first, count, lab_inputs_seed(p->options->problem.seed, which));
    if (gemm_state_of(p)->values == GEMM_VALUES_SPREAD)
        for (size_t i = 0; i < count; i++)
            values[i] = ldexpf(values[i], element_exponent(p, which, first + i));
    if (gemm_state_of(p)->values == GEMM_VALUES_SPECIAL)
        place_special(p, which, values, first, count);
}

/* Scaling by a power of two is exact, so results are compared as if the inputs had not been spread,
 * within the same tolerance. What was never written keeps its bits. */
void gemm_unspread(const struct lab_problem *p, float *c, size_t first, size_t count)
{
    const size_t n = (size_t)gemm_of(p)->n;
    if (gemm_state_of(p)->values != GEMM_VALUES_SPREAD)
        return;
    for (size_t i = 0; i < count; i++)
        if (!isnan(c[i]))
            c[i] = ldexpf(c[i], -gemm_exponent(p, (first + i) / n, (first + i) % n));
}
