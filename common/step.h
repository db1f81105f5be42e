/**
 * @file step.h
 * @brief The step contract: everything a kernel file may know of the harness.
 *
 * A kernel file holds its kernels (`static __global__`), one launch function per row, and ends in
 * one line that exports the rows. It enqueues work on the given stream and returns the launch
 * status. It does not allocate inputs or outputs, synchronise, time, print or exit.
 */
#ifndef LAB_STEP_H
#define LAB_STEP_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this contract; a shared object built for another one is refused. */
#define LAB_ABI 2

/** Largest size of any dimension: rounded up to a tile of up to 1024, it still fits an int. */
#define LAB_SIZE_MAX (0x7FFFFFFF - 1023)

/** The problem families that steps solve. */
enum lab_family_id {
    LAB_FAMILY_GEMM = 1,             /**< C = alpha A B + beta C, FP32, row-major */
    LAB_FAMILY_KERNEL_SUMMATION = 2, /**< V = K W, K the Gaussian of all distances, FP32 */
    LAB_FAMILY_GEMM_TN = 64,         /**< C = alpha A' B + beta C: gemm, with A stored (k, m) */
};

/**
 * @brief Family gemm: C = alpha A B + beta C, row-major, without gaps between rows.
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element. A is m x k, B is k x n, C is m x n. When beta is 0, C holds NaN and must not be read.
 */
struct lab_gemm {
    int m, n, k;       /**< sizes, each from 1 to LAB_SIZE_MAX */
    float alpha, beta; /**< scalars */
    const float *a;    /**< (m, k) */
    const float *b;    /**< (k, n) */
    float *c;          /**< (m, n) */
    void *workspace;   /**< as many bytes as the row's workspace function says, else NULL */
};

/** Enqueues one product on `stream`; returns the launch status (usually cudaGetLastError()). */
typedef cudaError_t lab_gemm_launch(const struct lab_gemm *problem, cudaStream_t stream);

/** Bytes of scratch memory that a row needs for this problem. */
typedef size_t lab_gemm_workspace(const struct lab_gemm *problem);

/** One row of the result table: a name and how to launch it. */
struct lab_gemm_row {
    const char *name;              /**< lower case, words joined by `_`; unique in the step */
    lab_gemm_launch *launch;       /**< never NULL */
    lab_gemm_workspace *workspace; /**< NULL: none needed */
};

/**
 * @brief What a row may ask of cuBLAS. The harness supplies it: kernel files link no library.
 *
 * Matrices are row-major, without gaps between rows. Each call enqueues work on `stream` and
 * returns its status.
 */
struct lab_library {
    void *state; /**< the harness's own */
    /** C = A B', with A (m, k), B (n, k) and C (m, n): cublasSgemm. */
    cudaError_t (*product)(const struct lab_library *library, int m, int n, int k, const float *a,
                           const float *b, float *c, cudaStream_t stream);
    /** y = A x, with A (m, n), x (n) and y (m): cublasSgemv. */
    cudaError_t (*product_with_vector)(const struct lab_library *library, int m, int n,
                                       const float *a, const float *x, float *y,
                                       cudaStream_t stream);
};

/**
 * @brief Family kernel summation: v[i] = sum over j of exp(-|a_i - b_j|^2 / (2 h^2)) w[j].
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element; points lie one after another, without gaps. v holds NaN and must not be read before it
 * is written. Weights may be zero or negative.
 */
struct lab_kernel_summation {
    int m, n, k;       /**< sources, targets, dimensions; each from 1 to LAB_SIZE_MAX */
    float h;           /**< bandwidth, finite and above 0; h * h may leave the range of a float */
    int deterministic; /**< not 0: v has the same bits in every run, so no atomic adds of floats */
    const float *a;    /**< (m, k), the sources */
    const float *b;    /**< (n, k), the targets */
    const float *w;    /**< (n), the weights */
    float *v;          /**< (m) */
    void *workspace;   /**< as many bytes as the row's workspace function says, else NULL */
    const struct lab_library *library;
};

/** Enqueues one kernel summation on `stream`; returns the launch status. */
typedef cudaError_t lab_kernel_summation_launch(const struct lab_kernel_summation *problem,
                                                cudaStream_t stream);

/** Bytes of scratch memory that a row needs for this problem; `deterministic` counts. */
typedef size_t lab_kernel_summation_workspace(const struct lab_kernel_summation *problem);

/** One row of the result table: a name and how to launch it. */
struct lab_kernel_summation_row {
    const char *name;                          /**< as in struct lab_gemm_row */
    lab_kernel_summation_launch *launch;       /**< never NULL */
    lab_kernel_summation_workspace *workspace; /**< NULL: none needed */
    int adds_atomically; /**< not 0: has a form of its own for `deterministic`, shown beside it */
};

/** What a kernel file exports: its family and its rows, in the list of that family. */
struct lab_step {
    int abi;                         /**< LAB_ABI */
    enum lab_family_id family;       /**< which list of rows is set */
    int row_count;                   /**< at least 1 */
    const struct lab_gemm_row *gemm; /**< rows, the one to compare with other steps last */
    const struct lab_kernel_summation_row *kernel_summation;
};

/** Name of the exported symbol, of type `struct lab_step`. */
#define LAB_STEP_SYMBOL "lab_step"

#ifdef __cplusplus
}
/** Last line of a gemm kernel file: LAB_EXPORT_GEMM({"name", launch}, ...) */
#define LAB_EXPORT_GEMM(...) LAB_EXPORT_GEMM_AS(LAB_FAMILY_GEMM, __VA_ARGS__)

/** The same where A is stored transposed: struct lab_gemm's `a` is then (k, m). */
#define LAB_EXPORT_GEMM_TN(...) LAB_EXPORT_GEMM_AS(LAB_FAMILY_GEMM_TN, __VA_ARGS__)

/** Used by the two above. */
#define LAB_EXPORT_GEMM_AS(family, ...)                                                            \
    static const struct lab_gemm_row lab_rows[] = {__VA_ARGS__};                                   \
    extern "C" __attribute__((visibility("default"))) const struct lab_step lab_step = {           \
        LAB_ABI, family, (int)(sizeof lab_rows / sizeof lab_rows[0]), lab_rows, NULL}

/** Last line of a kernel file of that family:
 *  LAB_EXPORT_KERNEL_SUMMATION({"name", launch, workspace, adds_atomically}, ...) */
#define LAB_EXPORT_KERNEL_SUMMATION(...)                                                           \
    static const struct lab_kernel_summation_row lab_rows[] = {__VA_ARGS__};                       \
    extern "C" __attribute__((visibility("default")))                                              \
    const struct lab_step lab_step = {LAB_ABI, LAB_FAMILY_KERNEL_SUMMATION,                        \
                                      (int)(sizeof lab_rows / sizeof lab_rows[0]), NULL, lab_rows}
#endif

#endif
