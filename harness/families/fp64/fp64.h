/**
 * @file fp64.h
 * @brief Inside of the FP64 families, trmm and syr2k: matrices of doubles of which a triangle may
 * be none of the problem, shared by trmm, syr2k and the files of this folder.
 */
#ifndef LAB_FP64_H
#define LAB_FP64_H

#include "families/buffer.h"
#include "families/problem.h"

#include <cublas_v2.h>

enum { FP64_MATRICES = 3, FP64_STAGING = 1 << 19 };

/** A row-major matrix of a problem. Its number in the problem chooses its stream of values. */
struct fp64_matrix {
    const char *name; /**< NULL: there is no such matrix */
    size_t rows, columns;
    bool is_upper; /**< what is below the diagonal must not be read, nor written */
    bool is_lower; /**< what is above it; of inputs */
    /** The output holds nothing before a launch; else it holds values that count. */
    bool is_blank;
};

/** Inputs and output of one launch. */
struct fp64_buffers {
    struct lab_buffer matrix[FP64_MATRICES];
};

/** One problem, with its buffers and its reference. */
struct lab_problem {
    int n, m, p, q; /**< those that the family has */
    struct fp64_matrix matrix[FP64_MATRICES];
    int output; /**< which of them the kernels write */
    uint64_t seed;
    cudaStream_t stream;
    cublasHandle_t cublas;
    struct fp64_buffers buffers;
    struct lab_buffer before;    /**< the output before a launch */
    struct lab_buffer workspace; /**< of the row prepared last */
    double *expected;            /**< the output, on the host */
    double *staging;             /**< FP64_STAGING, to move and compare in pieces */
    double tolerance;            /**< what |got - expected| may be */
    int row;                     /**< the row launched last */
    const double *elsewhere;     /**< where that row wrote its result; NULL: to the output */
    const struct lab_step *step; /**< and its step */
    bool deterministic;          /**< the row prepared last promises the same bits every time */
    double *host[FP64_MATRICES]; /**< for --with-copies: what is copied in */
    double *result;              /**< and what is copied out */
};

/** Elements of a matrix, with those that do not count. */
size_t fp64_count(const struct lab_problem *p, int which);

/** Writes `count` values of a matrix before a launch, from element `first` on. */
void fp64_fill(const struct lab_problem *p, int which, double *values, size_t first, size_t count);

/** True when element `index` of a matrix is none of the problem. */
bool fp64_is_foreign(const struct fp64_matrix *matrix, size_t index);

/** Device bytes of all matrices. */
size_t fp64_footprint(const struct lab_problem *p);

/** Starts cuBLAS, allocates the matrices and the host's buffers. `sizes`: how the user gave them,
 *  for a message. An exit status. */
int fp64_open(struct lab_problem *p, const char *sizes);
/** Ends a problem of these families; NULL is allowed. */
void fp64_close(struct lab_problem *p);

/** `reset`, `copy_in` and `copy_out` of struct lab_family. */
cudaError_t fp64_reset(struct lab_problem *p);
cudaError_t fp64_copy_in(struct lab_problem *p);
cudaError_t fp64_copy_out(struct lab_problem *p);

/** Gives a row `bytes` of scratch memory, poisoned; none when 0. */
cudaError_t fp64_prepare(struct lab_problem *p, size_t bytes);

/** Sum of x[i] y[i], added to `start`, as if in twice the precision and rounded at the end. */
double fp64_exact_dot(double start, const double *x, const double *y, size_t count);

/** sum[j] + rest[j] += factor * values[j], without rounding errors of note. */
void fp64_exact_add(double *sum, double *rest, double factor, const double *values, size_t count);

/** What separates two results of `terms` products of values below 1, each summed in any order. */
double fp64_tolerance(double terms);

/** Takes the output, of a launch with this status, as what is expected. */
cudaError_t fp64_expect_output(struct lab_problem *p, cudaError_t launched);

/** `check_output` and `check_all` of struct lab_family. */
cudaError_t fp64_check_output(struct lab_problem *p, struct lab_check *check);
cudaError_t fp64_check_all(struct lab_problem *p, struct lab_check *check);

#endif
