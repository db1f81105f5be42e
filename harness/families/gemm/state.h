/**
 * @file state.h
 * @brief Inside of family gemm: what it keeps of a problem, shared by the files of this folder.
 */
#ifndef LAB_GEMM_STATE_H
#define LAB_GEMM_STATE_H

#include "families/gemm.h"
#include "families/gemm/options.h"
#include "families/problem.h"

/** Which matrix; chooses its stream of input values. */
enum gemm_matrix { GEMM_A, GEMM_B, GEMM_C };

/** What the family keeps of a product. */
struct gemm_state {
    enum gemm_values values;
    float *expected; /**< (m, n) on the host */
};

/** The product's struct, and what is kept of it. */
static inline const struct lab_gemm *gemm_of(const struct lab_problem *p)
{
    return p->argument;
}
static inline struct gemm_state *gemm_state_of(const struct lab_problem *p)
{
    return p->state;
}

/** Elements of A, B and C. */
size_t gemm_count(const struct lab_gemm *gemm, enum gemm_matrix which);

/** `fill` of struct lab_family: as the problem's values say. */
void gemm_fill(const struct lab_problem *p, int which, void *values, size_t first, size_t count);

/** Of spread values: the power of two that element (row, column) of C carries; else 0. */
int gemm_exponent(const struct lab_problem *p, size_t row, size_t column);

/** Takes these powers of two off elements of C, so that one tolerance fits them all. */
void gemm_unspread(const struct lab_problem *p, float *c, size_t first, size_t count);

/** cublasSgemm: `launch_library` of struct lab_family. */
cudaError_t gemm_launch_reference(struct lab_problem *p, int row);

/** Computes the expected C and compares a sample of it with double precision; an exit status. */
int gemm_make_reference(struct lab_problem *p);

/** What |got - expected| may be; derived where it is defined. */
float gemm_tolerance(const struct lab_problem *p);

#endif
