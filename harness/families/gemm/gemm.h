/**
 * @file gemm.h
 * @brief Inside of family gemm: the problem's state, shared by the files of this folder.
 */
#ifndef LAB_GEMM_H
#define LAB_GEMM_H

#include "families/gemm.h"
#include "families/buffer.h"
#include "families/problem.h"

#include <cublas_v2.h>

enum { GEMM_STAGING_FLOATS = 1 << 20 };

/** Which matrix; chooses its stream of input values. */
enum gemm_matrix { GEMM_A, GEMM_B, GEMM_C };

/** Inputs and output of one launch. */
struct gemm_buffers {
    struct lab_buffer a, b, c;
};

/** One product of family gemm, with its buffers and its reference. */
struct lab_problem {
    int m, n, k;
    bool a_transposed; /* A is stored (k, m) */
    float alpha, beta;
    enum lab_values values;
    uint64_t seed;
    cudaStream_t stream;
    cublasHandle_t cublas;
    struct gemm_buffers buffers;
    struct lab_buffer old_c;     /**< C before a launch; only when beta is not 0 */
    struct lab_buffer workspace; /**< of the row prepared last */
    float *expected;             /**< (m, n) on the host */
    float *staging;              /**< GEMM_STAGING_FLOATS, to move and compare in pieces */
};

/** Elements of A, B and C. */
size_t gemm_count(const struct lab_problem *p, enum gemm_matrix which);

/** Writes elements first .. first + count - 1 of a matrix as the problem's values say. */
void gemm_fill(const struct lab_problem *p, enum gemm_matrix which, float *values, size_t first,
               size_t count);

/** Of spread values: the power of two that element (row, column) of C carries; else 0. */
int gemm_exponent(const struct lab_problem *p, size_t row, size_t column);

/** Takes these powers of two off elements of C, so that one tolerance fits them all. */
void gemm_unspread(const struct lab_problem *p, float *c, size_t first, size_t count);

/** Device bytes of the three matrices. */
size_t gemm_footprint(const struct lab_problem *p);

/** Allocates the matrices, the old C and the host's buffers; an exit status. */
int gemm_create_buffers(struct lab_problem *p);
void gemm_destroy_buffers(struct lab_problem *p);

/** `reset` of struct lab_family. */
cudaError_t gemm_reset(struct lab_problem *p);

/** cublasSgemm. */
cudaError_t gemm_launch_reference(struct lab_problem *p);

/** Computes the expected C and compares a sample of it with double precision; an exit status. */
int gemm_make_reference(struct lab_problem *p);

/** What |got - expected| may be; derived where it is defined. */
float gemm_tolerance(const struct lab_problem *p);

/** `check_output` and `check_all` of struct lab_family. */
cudaError_t gemm_check_output(struct lab_problem *p, struct lab_check *check);
cudaError_t gemm_check_all(struct lab_problem *p, struct lab_check *check);

#endif
