/**
 * @file state.h
 * @brief Inside of family gemm: what it keeps of a problem, shared by the files of this folder.
 */
#ifndef LAB_FAMILIES_GEMM_STATE_H
#define LAB_FAMILIES_GEMM_STATE_H

#include "diagnose/hypothesis.h"
#include "families/gemm.h"
#include "families/problem.h"
#include "options/family.h"

#include <stdbool.h>

/* --- what the command line may say of a matrix product, besides its sizes ----------------------*/

/** What the inputs look like. */
enum gemm_values {
    GEMM_VALUES_PLAIN,   /**< magnitudes from 1/2 to 1 */
    GEMM_VALUES_SPREAD,  /**< each row of A and column of B scaled by a power of two, 2^-20 to 2^20
                          */
    GEMM_VALUES_SPECIAL, /**< here and there an infinity or a NaN */
};

/** Which of A and B are stored transposed: bit 2 means A, bit 1 means B. */
enum gemm_trans { GEMM_NN, GEMM_NT, GEMM_TN, GEMM_TT };

/** Options of the families of this folder. */
struct gemm_options {
    double alpha, beta; /**< rounded to float unless the type is f64 */
    enum gemm_values values;
    enum gemm_trans trans;
    enum lab_gemm_type type;
    long long row_a, row_b, row_c; /**< leading dimensions; 0: no gaps */
    int lot;                       /**< for the study: problems with sizes drawn by lot; 0: cubes */
};

/** True when a product is asked for that variants of the plain product do not solve. */
bool gemm_is_general(const struct gemm_options *gemm);

extern const struct lab_family_options lab_gemm_options, lab_gemm_tn_options, lab_gemm_nt_options;

/** Which matrix; also chooses the stream of its input values. */
enum gemm_matrix { GEMM_A, GEMM_B, GEMM_C };

/** How a matrix lies in memory. */
struct gemm_stored {
    size_t rows, columns; /**< of the matrix as it is stored: op(A) or op(B), or its transpose */
    size_t row;           /**< elements from one row to the next */
};

/** An element of C whose exact value is known. */
struct gemm_sample {
    size_t row, column;
    double exact;
};

/** What the family keeps of a product. */
struct gemm_state {
    enum gemm_values values;
    void *expected;              /**< (m, n) on the host without gaps, of the problem's type */
    struct gemm_sample *samples; /**< by place; NULL: not taken */
    size_t sample_count;
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

/** Bytes of an element. */
static inline size_t gemm_element_bytes(const struct lab_gemm *gemm)
{
    return gemm->type == LAB_GEMM_F64 ? sizeof(double) : sizeof(float);
}

/** How A, B or C lies in memory, and where in it element (i, j) of op(A), op(B) or C is. */
struct gemm_stored gemm_stored(const struct lab_gemm *gemm, enum gemm_matrix which);
size_t gemm_place(const struct lab_gemm *gemm, enum gemm_matrix which, size_t i, size_t j);

/** `fill` of struct lab_family: as the problem's values say. */
void gemm_fill(const struct lab_problem *p, int which, void *values, size_t first, size_t count);

/** Element `index` of an array as gemm_fill() makes it. */
double gemm_input(const struct lab_problem *p, enum gemm_matrix which, size_t index);

/** With spread values: the exponent of element (row, column) of C; else 0. */
int gemm_exponent(const struct lab_problem *p, size_t row, size_t column);

/** Divides `count` neighbours in a row of C by these powers of two, so that one tolerance fits all
 * of them. */
void gemm_unspread(const struct lab_problem *p, void *c, size_t row, size_t column, size_t count);

/** cublasSgemm or cublasDgemm: `launch_library` of struct lab_family. */
cudaError_t gemm_launch_reference(struct lab_problem *p, int variant);

/** Computes the expected C and compares a sample of it with wider sums; an exit status. */
int gemm_make_reference(struct lab_problem *p);

/** What |got - expected| may be, of a kernel that keeps the type's precision; derived where it is
 * defined. */
double gemm_type_tolerance(const struct lab_problem *p);

/** The same of the variant prepared last, which may round what it multiplies. */
double gemm_tolerance(const struct lab_problem *p);

/** Computes the samples, if errors are taken and this was not done. */
void gemm_take_samples(struct lab_problem *p);

/** Element (row, column) of the expected C. */
double gemm_expected(const struct lab_problem *p, size_t row, size_t column);

/** beta times what it held before: the part of it that a store adds. */
double gemm_old_of(const void *problem, size_t row, size_t column);

/** Whether a kernel that leaves what C held before may have stored it: the products may be 0. */
bool gemm_may_be_stored(const struct lab_problem *p, size_t row, size_t column);

#define GEMM_OF_UNWRITTEN                                                                          \
    "does the grid cover the whole matrix, and does every thread reach its store?"

/** What a wrong C may come of. */
extern const struct lab_hypothesis gemm_hypotheses[];

/** `check_output` of struct lab_family: every element of C, and the gaps between its rows. */
cudaError_t gemm_check_output(struct lab_problem *p, struct lab_check *check);

#endif
