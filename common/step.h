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
#define LAB_ABI 1

/** Largest size of any dimension: rounded up to a tile of up to 1024, it still fits an int. */
#define LAB_SIZE_MAX (0x7FFFFFFF - 1023)

/** The problem families that steps solve. */
enum lab_family_id {
    LAB_FAMILY_GEMM = 1, /**< C = alpha A B + beta C, FP32, row-major */
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

/** What a kernel file exports: its family and its rows. */
struct lab_step {
    int abi;                         /**< LAB_ABI */
    enum lab_family_id family;       /**< which list of rows is set */
    int row_count;                   /**< at least 1 */
    const struct lab_gemm_row *gemm; /**< rows, the one to compare with other steps last */
};

/** Name of the exported symbol, of type `struct lab_step`. */
#define LAB_STEP_SYMBOL "lab_step"

#ifdef __cplusplus
}
/** Last line of a gemm kernel file: LAB_EXPORT_GEMM({"name", launch}, ...) */
#define LAB_EXPORT_GEMM(...)                                                                       \
    static const struct lab_gemm_row lab_rows[] = {__VA_ARGS__};                                   \
    extern "C" __attribute__((visibility("default"))) const struct lab_step lab_step = {           \
        LAB_ABI, LAB_FAMILY_GEMM, (int)(sizeof lab_rows / sizeof lab_rows[0]), lab_rows}
#endif

#endif
