/**
 * @file fp64.h
 * @brief What families of matrices of doubles, or of floats, share: exact sums, the tolerance, and
 * the check of an output of which only a triangle may count.
 */
#ifndef LAB_FP64_H
#define LAB_FP64_H

#include "diagnose/hypothesis.h"
#include "families/problem.h"

/** What such a family keeps of a problem. */
struct fp64_state {
    double *expected; /**< the output, on the host, in double for floats, too */
    double tolerance; /**< what |got - expected| may be */
};

static inline struct fp64_state *fp64_of(const struct lab_problem *p)
{
    return p->state;
}

/** Whether the options ask for floats. */
bool fp64_wants_floats(const struct lab_options *options, const struct lab_family_options *family);

/** `variant_fits` and `variant_options` of struct lab_family: a variant takes doubles, or floats.
 */
bool fp64_variant_fits(const struct lab_options *options, const struct lab_step *step, int variant);
void fp64_variant_options(const struct lab_step *step, int variant, char *text, size_t size);

/** Element `index` of an input, before a launch. */
double fp64_input(const struct lab_problem *p, int which, size_t index);

/** A and behind it B, the first two arrays before a launch; or NULL. The caller frees them. */
double *fp64_copy_inputs(const struct lab_problem *p);

/** `end` of struct lab_family. */
void fp64_end(struct lab_problem *p);

/** Sum of x[i] y[i], added to `start`, as if in twice the precision and rounded at the end. */
double fp64_exact_dot(double start, const double *x, const double *y, size_t count);

/** sum[j] + rest[j] += factor * values[j], without rounding errors of note. */
void fp64_exact_add(double *sum, double *rest, double factor, const double *values, size_t count);

/** How far two sums of `terms` products of values below 1, added in any order, may be apart. */
double fp64_tolerance(double terms);

/** The same for floats: how far they are likely to be apart at most. */
double fp64_tolerance_of_floats(double terms);

/** Compensated sums of so many products take about a second. */
enum { FP64_FEW_PRODUCTS = 1 << 27 };

/** How a family's output is expected. */
struct fp64_sums {
    const char *library;                    /**< "cublasDtrmm" or "cublasStrmm" */
    bool (*sum_all)(struct lab_problem *p); /**< exactly; false: there is no memory */
    double (*sum_one)(const struct lab_problem *p, size_t row, size_t column);
};

/** Computes what is expected of array `output`, which takes `products` products. Few products are
 * summed exactly. Else the library sums, once a sample agrees with exact elements. An exit
 * status. */
int fp64_make_reference(struct lab_problem *p, int output, double products,
                        const struct fp64_sums *sums);

/** Says what mistake left the values of a wrong output; `got` is all of the output, in double.
 * False: no mistake that the family can compute. */
typedef bool fp64_explain_fn(const struct lab_problem *p, const double *got,
                             const struct lab_mismatch *first, char *text, size_t size);

/**
 * @brief Compares every element of an output that counts with what is expected, and checks that the
 * other elements are unchanged.
 * @param got         where the result is on the device, doubles or floats like the output
 * @param is_product  the result lacks the old values, which the problem adds
 */
cudaError_t fp64_check(struct lab_problem *p, int output, const void *got, bool is_product,
                       fp64_explain_fn *explain, struct lab_check *check);

#endif
