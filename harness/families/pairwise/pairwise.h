/**
 * @file pairwise.h
 * @brief Sums over pairs of points, v[i] = sum over j of K(|a_i - b_j|^2 / (2 h^2)) w[j]: data,
 * reference and check of the families that differ in K alone.
 */
#ifndef LAB_FAMILIES_PAIRWISE_PAIRWISE_H
#define LAB_FAMILIES_PAIRWISE_PAIRWISE_H

#include "diagnose/hypothesis.h"
#include "families/cublas_library.h"
#include "families/kernel_summation.h"
#include "families/problem.h"
#include "families/family.h"
#include "options/family.h"

/* What the command line may say of sums over pairs of points, besides their sizes. */

/** Weights of the points. */
enum pairwise_weights {
    PAIRWISE_WEIGHTS_POSITIVE, /**< nothing cancels, a relative error says something */
    PAIRWISE_WEIGHTS_MIXED,    /**< of both signs, and some 0 */
};

/** Options of families that differ in the kernel function alone. */
struct pairwise_options {
    float bandwidth; /**< h, above 0 */
    float offset;    /**< added to all coordinates */
    enum pairwise_weights weights;
};

extern const struct lab_option pairwise_option_table[];
extern const struct pairwise_options pairwise_defaults;

/** `follow` of struct lab_family_options. */
void pairwise_follow(const char *name, const char *text, void *own);

/** What such families have in common. */
#define PAIRWISE_OPTIONS                                                                           \
    .heading = "Sums over pairs of points",                                                        \
    .sizes = {{'m', "sources", 0}, {'n', "targets (1024)", 1024}, {'k', "dimensions (32)", 32}},   \
    .table = pairwise_option_table, LAB_OWN(pairwise_defaults), .follow = pairwise_follow

/** Which array; chooses its stream of input values. */
enum pairwise_array { PAIRWISE_A, PAIRWISE_B, PAIRWISE_W, PAIRWISE_V };

/** What is expected of one element of V. */
struct pairwise_element {
    double value;   /**< in double precision */
    double scale;   /**< sum over j of K(i, j) |w_j|: what an error is measured against */
    double allowed; /**< that |got - value| may be */
};

/** K, from x = |a - b|^2 / (2 h^2), which is at least 0. */
struct pairwise_kernel {
    double (*value)(double x);
    /** A small error of e in x changes K by at most the factor exp(steepness e). */
    double steepness;
    const char *look_at; /**< where to look if most sums are wrong */
    /** A function that learners compute in place of K. */
    const struct pairwise_mistake {
        double (*value)(double x);
        const char *text; /**< the words after "as if" */
        bool adds_weight; /**< to the value, in place of multiplying the two */
    } * mistakes;         /**< what K is taken for; the last one has no function */
};

/** What such a family keeps of a problem. */
struct pairwise_state {
    int m, n, k; /**< sources, targets, dimensions */
    float h, offset;
    enum pairwise_weights weights;
    struct pairwise_kernel kernel;
    struct lab_cublas cublas;          /**< for the variants */
    struct pairwise_element *expected; /**< (m) */
    double tolerance;                  /**< largest allowed / scale of any element */
    float *got;                        /**< (m) */
};

static inline struct pairwise_state *pairwise_of(const struct lab_problem *p)
{
    return p->state;
}

/** Takes sizes and the like from the options; an exit status. */
int pairwise_begin(struct lab_problem *p, const struct lab_options *options, int size,
                   struct pairwise_kernel kernel);

/** Members of struct lab_family. */
extern const char *const pairwise_test_options[], *const pairwise_gpu_test_sizes[],
                                                      *const pairwise_thorough[];
int pairwise_arrays(const void *argument, struct lab_array *list);
void pairwise_for_variant(void *argument, int variant);
void pairwise_fill(const struct lab_problem *p, int which, void *values, size_t first,
                   size_t count);
int pairwise_make_reference(struct lab_problem *p);
void pairwise_end(struct lab_problem *p);
void pairwise_facts(const struct lab_problem *p, struct lab_problem_facts *facts);
void pairwise_prepare(struct lab_problem *p);
bool pairwise_used_library(const struct lab_problem *p);
/** What wrong elements come from, if it can be computed. */
extern const struct lab_hypothesis pairwise_hypotheses[];
cudaError_t pairwise_check_output(struct lab_problem *p, struct lab_check *check);

/** What such families have in common: they differ in K. */
#define PAIRWISE_COMMON                                                                            \
    .problem_bytes = sizeof(struct lab_kernel_summation),                                          \
    .state_bytes = sizeof(struct pairwise_state), .type = "f32", .reference = "cublas_unfused",    \
    .reference_in_step = true, .uses_cublas = true, .look_at = "the last tiles",                   \
    .default_size = 131072, .simulated = 1.8e9, .test_sizes = lab_test_products,                   \
    .test_options = pairwise_test_options, .gpu_test_sizes = pairwise_gpu_test_sizes,              \
    .thorough = pairwise_thorough, .arrays = pairwise_arrays, .fill = pairwise_fill,               \
    .make_reference = pairwise_make_reference, .end = pairwise_end, .facts = pairwise_facts,       \
    .for_variant = pairwise_for_variant, .prepare = pairwise_prepare,                              \
    .used_library = pairwise_used_library, .check_output = pairwise_check_output

#endif
