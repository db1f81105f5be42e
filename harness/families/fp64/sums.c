/* Sums of products in about twice the precision of a double: the independent reference of small
 * problems. Compiled without contraction (see the Makefile), which would spoil the exact parts. */
#include "families/fp64/fp64.h"

#include <math.h>

/* a b as product + rest, both doubles, exactly (Veltkamp and Dekker: halves of 26 bits). */
static inline double product_rest(double a, double b, double product)
{
    const double split = 134217729.0; /* 2^27 + 1 */
    double a_big = split * a, b_big = split * b;
    double a_high = a_big - (a_big - a), b_high = b_big - (b_big - b);
    double a_low = a - a_high, b_low = b - b_high;
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

/* What rounding took from `total` = a + b, exactly (Knuth). */
static inline double sum_rest(double a, double b, double total)
{
    double from_b = total - a;
    return (a - (total - from_b)) + (b - from_b);
}

void fp64_exact_add(double *restrict sum, double *restrict rest, double factor,
                    const double *restrict values, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        double product = factor * values[j];
        double total = sum[j] + product;
        double lost = product_rest(factor, values[j], product) + sum_rest(sum[j], product, total);
        rest[j] += isfinite(total) ? lost : 0.0; /* an infinity less itself is none */
        sum[j] = total;
    }
}

/* Keeps four sums: each addition to a single sum would wait for the addition before. */
double fp64_exact_dot(double start, const double *x, const double *y, size_t count)
{
    enum { SIDE = 4 };
    double sum[SIDE] = {start}, rest[SIDE] = {0}, total = 0.0, total_rest = 0.0;
    size_t i = 0;
    for (; i + SIDE <= count; i += SIDE)
        for (int s = 0; s < SIDE; s++)
            fp64_exact_add(&sum[s], &rest[s], x[i + s], &y[i + s], 1);
    for (; i < count; i++)
        fp64_exact_add(&sum[0], &rest[0], x[i], &y[i], 1);
    for (int s = 0; s < SIDE; s++) {
        fp64_exact_add(&total, &total_rest, 1.0, &sum[s], 1);
        total_rest += rest[s];
    }
    return total + total_rest;
}

/*
 * The tolerance on |got - expected|; u = 2^-53. A sum of L products with or without fused
 * multiply-adds, in any order, with one more addition, is off by at most (L + 1) u / (1 - (L + 1)
 * u) times the sum of the products' magnitudes (Higham, Accuracy and Stability of Numerical
 * Algorithms, section 3.1), and each product is below 1: less than (L + 2) L u. The reference may
 * be off by as much. Inputs are at least 1/2, so that a term that is missing, doubled or misplaced
 * moves an element by at least 1/8, where sums are halved, too: it shows for every L below 2^24.
 */
double fp64_tolerance(double terms)
{
    return 2.0 * ldexp((terms + 2.0) * terms, -53);
}

/*
 * Of floats, u = 2^-24, that bound passes 1/4 at L of 1500, so it would hide a missing term. Hence
 * the likely error, as gemm_tolerance() derives it: rounding errors have either sign, and two sums
 * are at most 2.1 u L apart in the largest of 2^28 elements. On the diagonal of syr2k both halves
 * of a sum are the same, so that partial sums, and their errors, may be sqrt(2) times as large: 3 u
 * L. We allow 4 u L, and 16 u sqrt(L) for the last roundings, and 4 u for the element of B that
 * trmm adds to. A wrong term moves a sum by at least 1/4: it shows for every L below a million.
 */
double fp64_tolerance_of_floats(double terms)
{
    return ldexp(4.0 * terms + 16.0 * sqrt(terms) + 4.0, -24);
}
