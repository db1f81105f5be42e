/* Implements struct lab_library with cuBLAS. Kernel files are row-major, cuBLAS is column-major: a
 * row-major matrix is the transpose of the column-major one with the same elements. */
#include "families/cublas_library.h"

#include <cublas_v2.h>

void (*lab_cublas_watch)(const char *name, cudaStream_t stream);

static struct lab_cublas *begin(const struct lab_library *library, const char *name,
                                cudaStream_t stream)
{
    struct lab_cublas *cublas = library->state;
    cublas->calls++;
    if (lab_cublas_watch)
        lab_cublas_watch(name, stream);
    return cublasSetStream(cublas->handle, stream) == CUBLAS_STATUS_SUCCESS ? cublas : NULL;
}

/* C = A B' is column-major C' = B A'; B' and A' are what cuBLAS sees. */
static cudaError_t product(const struct lab_library *library, int m, int n, int k, const float *a,
                           const float *b, float *c, cudaStream_t stream)
{
    const float one = 1.0f, zero = 0.0f;
    struct lab_cublas *cublas = begin(library, __func__, stream);
    if (!cublas || cublasSgemm(cublas->handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, b, k, a, k,
                               &zero, c, n) != CUBLAS_STATUS_SUCCESS)
        return cudaErrorUnknown;
    return cudaSuccess;
}

static cudaError_t product_with_vector(const struct lab_library *library, int m, int n,
                                       const float *a, const float *x, float *y,
                                       cudaStream_t stream)
{
    const float one = 1.0f, zero = 0.0f;
    struct lab_cublas *cublas = begin(library, __func__, stream);
    if (!cublas || cublasSgemv(cublas->handle, CUBLAS_OP_T, n, m, &one, a, n, x, 1, &zero, y, 1) !=
                       CUBLAS_STATUS_SUCCESS)
        return cudaErrorUnknown;
    return cudaSuccess;
}

void lab_cublas_begin(struct lab_cublas *cublas)
{
    *cublas = (struct lab_cublas){.library = {.state = cublas,
                                              .product = product,
                                              .product_with_vector = product_with_vector}};
}
