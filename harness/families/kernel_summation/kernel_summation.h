/**
 * @file kernel_summation.h
 * @brief Inside of family kernel summation: the problem's state, shared by the files of this
 * folder.
 */
#ifndef LAB_KERNEL_SUMMATION_H
#define LAB_KERNEL_SUMMATION_H

#include "families/kernel_summation.h"
#include "families/buffer.h"
#include "families/kernel_summation/library.h"
#include "families/problem.h"

enum { SUMMATION_STAGING_FLOATS = 1 << 20, SUMMATION_MOST_REPEATED = 32 };

/** Which array; chooses its stream of input values. */
enum summation_array { SUMMATION_A, SUMMATION_B, SUMMATION_W, SUMMATION_V };

/** Inputs and output of one launch. */
struct summation_buffers {
    struct lab_buffer a, b, w, v;
};

/** What is expected of one element of V. */
struct summation_element {
    double value;   /**< in double precision */
    double scale;   /**< sum over j of K(i, j) |w_j|: what an error is measured against */
    double allowed; /**< that |got - value| may be */
};

/** The first result of a row that must give the same bits every time. */
struct summation_repeated {
    const struct lab_step *step;
    int row;
    float *first; /**< (m) */
};

/** One kernel summation, with its buffers and its reference. */
struct lab_problem {
    int m, n, k;
    bool cauchy; /* the kernel is 1 / (1 + x), not exp(-x), with x = |a - b|^2 / (2 h^2) */
    float h, offset;
    enum lab_weights weights;
    uint64_t seed;
    cudaStream_t stream;
    struct lab_cublas cublas;
    struct summation_buffers buffers;
    struct lab_buffer workspace; /**< of the row prepared last */
    bool deterministic;          /**< the row launched last was to be */
    const struct lab_step *step; /**< that row, to launch it again */
    int row;
    struct summation_element *expected; /**< (m) */
    double tolerance;                   /**< largest allowed / scale of any element */
    float *staging;                     /**< SUMMATION_STAGING_FLOATS */
    float *got;                         /**< (m) */
    struct summation_repeated repeated[SUMMATION_MOST_REPEATED];
    int repeated_count;
};

/** Elements of an array. */
size_t summation_count(const struct lab_problem *p, enum summation_array which);

/** Writes `count` input values from element `first` on; the same ones every time. */
void summation_fill(const struct lab_problem *p, enum summation_array which, float *values,
                    size_t first, size_t count);

/** Device bytes of all arrays. */
size_t summation_footprint(const struct lab_problem *p);

/** Allocates the arrays and the host's buffers; an exit status. */
int summation_create_buffers(struct lab_problem *p);
void summation_destroy_buffers(struct lab_problem *p);

/** `reset` of struct lab_family. */
cudaError_t summation_reset(struct lab_problem *p);

/** Launches row p->row of p->step. */
cudaError_t summation_launch(struct lab_problem *p);

/** Computes the expected V and what an error may be; an exit status. */
int summation_make_reference(struct lab_problem *p);

/** `check_output` and `check_all` of struct lab_family. */
cudaError_t summation_check_output(struct lab_problem *p, struct lab_check *check);
cudaError_t summation_check_all(struct lab_problem *p, struct lab_check *check);

#endif
