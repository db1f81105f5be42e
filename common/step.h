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
#define LAB_ABI 4

/** Largest size of any dimension: rounded up to a tile of up to 1024, it still fits an int. */
#define LAB_SIZE_MAX (0x7FFFFFFF - 1023)

/** The problem families that steps solve. */
enum lab_family_id {
    LAB_FAMILY_GEMM = 1,             /**< C = alpha A B + beta C, FP32, row-major */
    LAB_FAMILY_KERNEL_SUMMATION = 2, /**< V = K W, K the Gaussian of all distances, FP32 */
    LAB_FAMILY_TRMM = 3,             /**< B = B + triu(A) B in place, FP64 */
    LAB_FAMILY_SYR2K = 4,            /**< upper triangle of C = (B A' + A B') / 2, FP64 */
    LAB_FAMILY_APSP = 5,             /**< all-pairs shortest paths, FP32 or whole numbers */
    LAB_FAMILY_GEMM_TN = 64,         /**< C = alpha A' B + beta C: gemm, with A stored (k, m) */
    LAB_FAMILY_CAUCHY = 65,          /**< kernel summation with 1 / (1 + |a - b|^2 / (2 h^2)) */
    LAB_FAMILY_TRMM_LOWER = 66,      /**< B = B + tril(A) B in place, FP64 */
    LAB_FAMILY_WIDEST = 67,          /**< all-pairs widest paths, FP32 */
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

/**
 * @brief Family trmm: b[i][j] += sum over k >= i of a[i][k] b[k][j], with the old b on the right.
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element; row-major, without gaps. A is upper triangular: below its diagonal stands anything, NaN
 * too, and must not be read. The result takes B's place, and there is no second copy of B.
 */
struct lab_trmm {
    int n, m;        /**< rows and columns of B, each from 1 to LAB_SIZE_MAX */
    const double *a; /**< (n, n), of which the diagonal and what is above it counts */
    double *b;       /**< (n, m) */
    void *workspace; /**< as many bytes as the row's workspace function says, else NULL */
};

/** Enqueues one such product on `stream`; returns the launch status. */
typedef cudaError_t lab_trmm_launch(const struct lab_trmm *problem, cudaStream_t stream);

/** Bytes of scratch memory that a row needs for this problem; not for copies of B. */
typedef size_t lab_trmm_workspace(const struct lab_trmm *problem);

/** One row of the result table. */
struct lab_trmm_row {
    const char *name;              /**< as in struct lab_gemm_row */
    lab_trmm_launch *launch;       /**< never NULL */
    lab_trmm_workspace *workspace; /**< NULL: none needed */
};

/**
 * @brief Family syr2k: for l >= k,
 * c[k][l] = sum over i, j of (a[l][i][j] b[k][i][j] + a[k][i][j] b[l][i][j]) / 2.
 *
 * Pointers as in family trmm. A and B are n x p x q, so n rows of p q neighbours. C's upper
 * triangle holds NaN and must not be read before it is written; what is below the diagonal belongs
 * to somebody else and must stay as it is.
 */
struct lab_syr2k {
    int n, p, q;     /**< each from 1 on; p times q is at most LAB_SIZE_MAX */
    const double *a; /**< (n, p, q) */
    const double *b; /**< (n, p, q) */
    double *c;       /**< (n, n), of which the diagonal and what is above it counts */
    void *workspace; /**< as many bytes as the row's workspace function says, else NULL */
};

/** Enqueues one such product on `stream`; returns the launch status. */
typedef cudaError_t lab_syr2k_launch(const struct lab_syr2k *problem, cudaStream_t stream);

/** Bytes of scratch memory that a row needs for this problem. */
typedef size_t lab_syr2k_workspace(const struct lab_syr2k *problem);

/** One row of the result table. */
struct lab_syr2k_row {
    const char *name;               /**< as in struct lab_gemm_row */
    lab_syr2k_launch *launch;       /**< never NULL */
    lab_syr2k_workspace *workspace; /**< NULL: none needed */
    int deterministic; /**< not 0: promises the same bits in every run, and is held to it */
};

/** Types of weights and distances. */
enum lab_apsp_type {
    LAB_APSP_F32, /**< float; +infinity: no path */
    LAB_APSP_S32, /**< int; INT_MAX: no path, or none shorter than that */
    LAB_APSP_U16, /**< unsigned short; 65535: no path, or none shorter than that */
};

/** Whom a row may tell how far its work has come: the harness shows it when it gets there. */
struct lab_progress {
    void *state; /**< the harness's own */
    /** Enqueues the news that `done` of `total` parts are done behind what is on `stream` now. */
    cudaError_t (*mark)(const struct lab_progress *progress, int done, int total,
                        cudaStream_t stream);
};

/**
 * @brief Family apsp: d[i][j] = length of the shortest path from vertex i to vertex j.
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element; matrices are row-major, without gaps between rows. w[i][i] is 0. No cycle is negative,
 * or else some d[v][v] < 0 must tell of it. Distances of s32 with negative weights stay below 2^29
 * in amount.
 */
struct lab_apsp {
    int n;                   /**< vertices, from 1 to LAB_SIZE_MAX */
    enum lab_apsp_type type; /**< of w and d */
    int negative;            /**< not 0: some weight is below 0 */
    int products;            /**< not 0: rows that square stop after so many products at most */
    const void *w;           /**< (n, n), weights of the arcs; "no path" where there is none */
    void *d;                 /**< (n, n), distances */
    int *next;       /**< NULL, or (n, n): the vertex after i on the path to j, -1 for none */
    void *workspace; /**< as many bytes as the row's workspace function says, else NULL */
    const struct lab_progress *progress; /**< NULL: nobody asks */
};

/** Enqueues the work on `stream`; returns the launch status. */
typedef cudaError_t lab_apsp_launch(const struct lab_apsp *problem, cudaStream_t stream);

/** Bytes of scratch memory that a row needs for this problem; `next` counts. */
typedef size_t lab_apsp_workspace(const struct lab_apsp *problem);

/** One row of the result table: a name and how to launch it. */
struct lab_apsp_row {
    const char *name;              /**< as in struct lab_gemm_row */
    lab_apsp_launch *launch;       /**< never NULL */
    lab_apsp_workspace *workspace; /**< NULL: none needed */
    int squares;                   /**< not 0: works by products, and heeds `products` */
};

/** What a kernel file exports: its family and its rows, in the list of that family. */
struct lab_step {
    int abi;                         /**< LAB_ABI */
    enum lab_family_id family;       /**< which list of rows is set */
    int row_count;                   /**< at least 1 */
    const struct lab_gemm_row *gemm; /**< rows, the one to compare with other steps last */
    const struct lab_kernel_summation_row *kernel_summation;
    const struct lab_trmm_row *trmm;
    const struct lab_syr2k_row *syr2k;
    const struct lab_apsp_row *apsp;
};

/** Name of the exported symbol, of type `struct lab_step`. */
#define LAB_STEP_SYMBOL "lab_step"

#ifdef __cplusplus
}
/** Number of rows in the list that an export line made. */
#define LAB_ROW_COUNT ((int)(sizeof lab_rows / sizeof lab_rows[0]))

/** Common end of the lines below: family, and its list in its place. */
#define LAB_EXPORT(family, gemm, kernel_summation, trmm, syr2k, apsp)                              \
    extern "C" __attribute__((visibility("default"))) const struct lab_step lab_step = {           \
        LAB_ABI, family, LAB_ROW_COUNT, gemm, kernel_summation, trmm, syr2k, apsp}

/** Last line of a gemm kernel file: LAB_EXPORT_GEMM({"name", launch}, ...) */
#define LAB_EXPORT_GEMM(...) LAB_EXPORT_GEMM_AS(LAB_FAMILY_GEMM, __VA_ARGS__)

/** The same where A is stored transposed: struct lab_gemm's `a` is then (k, m). */
#define LAB_EXPORT_GEMM_TN(...) LAB_EXPORT_GEMM_AS(LAB_FAMILY_GEMM_TN, __VA_ARGS__)

/** Used by the two above. */
#define LAB_EXPORT_GEMM_AS(family, ...)                                                            \
    static const struct lab_gemm_row lab_rows[] = {__VA_ARGS__};                                   \
    LAB_EXPORT(family, lab_rows, NULL, NULL, NULL, NULL)

/** Last line of a kernel file of that family:
 *  LAB_EXPORT_KERNEL_SUMMATION({"name", launch, workspace, adds_atomically}, ...) */
#define LAB_EXPORT_KERNEL_SUMMATION(...)                                                           \
    LAB_EXPORT_SUMMATION_AS(LAB_FAMILY_KERNEL_SUMMATION, __VA_ARGS__)

/** The same where the kernel is Cauchy's: struct lab_kernel_summation with
 *  v[i] = sum over j of w[j] / (1 + |a_i - b_j|^2 / (2 h^2)). */
#define LAB_EXPORT_CAUCHY(...) LAB_EXPORT_SUMMATION_AS(LAB_FAMILY_CAUCHY, __VA_ARGS__)

/** Used by the two above. */
#define LAB_EXPORT_SUMMATION_AS(family, ...)                                                       \
    static const struct lab_kernel_summation_row lab_rows[] = {__VA_ARGS__};                       \
    LAB_EXPORT(family, NULL, lab_rows, NULL, NULL, NULL)

/** Last line of a trmm kernel file: LAB_EXPORT_TRMM({"name", launch, workspace}, ...) */
#define LAB_EXPORT_TRMM(...) LAB_EXPORT_TRMM_AS(LAB_FAMILY_TRMM, __VA_ARGS__)

/** The same where A is lower triangular: struct lab_trmm with
 *  b[i][j] += sum over k <= i of a[i][k] b[k][j]; above A's diagonal stands what must not be read.
 */
#define LAB_EXPORT_TRMM_LOWER(...) LAB_EXPORT_TRMM_AS(LAB_FAMILY_TRMM_LOWER, __VA_ARGS__)

/** Used by the two above. */
#define LAB_EXPORT_TRMM_AS(family, ...)                                                            \
    static const struct lab_trmm_row lab_rows[] = {__VA_ARGS__};                                   \
    LAB_EXPORT(family, NULL, NULL, lab_rows, NULL, NULL)

/** Last line of a syr2k kernel file:
 *  LAB_EXPORT_SYR2K({"name", launch, workspace, deterministic}, ...) */
#define LAB_EXPORT_SYR2K(...)                                                                      \
    static const struct lab_syr2k_row lab_rows[] = {__VA_ARGS__};                                  \
    LAB_EXPORT(LAB_FAMILY_SYR2K, NULL, NULL, NULL, lab_rows, NULL)

/** Last line of a kernel file of family apsp:
 *  LAB_EXPORT_APSP({"name", launch, workspace, squares}, ...) */
#define LAB_EXPORT_APSP(...) LAB_EXPORT_APSP_AS(LAB_FAMILY_APSP, __VA_ARGS__)

/** The same for widest paths: struct lab_apsp with floats, of which n, w, d and workspace count.
 * w[i][j] is the width of an arc, 0 where there is none and +infinity for i = j; d[i][j] is the
 * greatest width of a path, which is as wide as its narrowest arc. */
#define LAB_EXPORT_WIDEST(...) LAB_EXPORT_APSP_AS(LAB_FAMILY_WIDEST, __VA_ARGS__)

/** Used by the two above. */
#define LAB_EXPORT_APSP_AS(family, ...)                                                            \
    static const struct lab_apsp_row lab_rows[] = {__VA_ARGS__};                                   \
    LAB_EXPORT(family, NULL, NULL, NULL, NULL, lab_rows)
#endif

#endif
