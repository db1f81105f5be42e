/**
 * @file library.h
 * @brief cuBLAS as a kernel file may call it, where its problem's struct has a `library`.
 */
#ifndef LAB_LIBRARY_H
#define LAB_LIBRARY_H

#include <cuda_runtime_api.h>

/**
 * @brief What a variant may ask of cuBLAS. The harness supplies it: kernel files link no library.
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

#endif
