/* cublasXt: products of matrices in the host's memory. As with the real library, such memory is
 * pinned for the time of a call, and the call waits for its end; there is one device here. */
#include "handle.h"

#include <limits.h>
#include <stdlib.h>

#pragma GCC visibility push(default)

/* The toolkit's names; its header is not needed for them. */
typedef struct cublasXtContext *cublasXtHandle_t;

struct cublasXtContext {
    cublasHandle_t handle;
    int block, pins;
};

cublasStatus_t cublasXtCreate(cublasXtHandle_t *made);
cublasStatus_t cublasXtCreate(cublasXtHandle_t *made)
{
    if (!made || !(*made = calloc(1, sizeof **made)))
        return made ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_INVALID_VALUE;
    (*made)->block = 2048; /* as the documentation has it */
    const cublasStatus_t status = cublasCreate(&(*made)->handle);
    if (status)
        free(*made);
    return status;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t xt);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t xt)
{
    const cublasStatus_t status = xt ? cublasDestroy(xt->handle) : CUBLAS_STATUS_NOT_INITIALIZED;
    free(xt);
    return status;
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t xt, int count, int *devices);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t xt, int count, int *devices)
{
    if (!xt)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return count == 1 && devices && devices[0] == 0 ? CUBLAS_STATUS_SUCCESS
                                                    : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasXtMaxBoards(int *count);
cublasStatus_t cublasXtMaxBoards(int *count)
{
    if (!count)
        return CUBLAS_STATUS_INVALID_VALUE;
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtGetNumBoards(int devices, int *numbers, int *count);
cublasStatus_t cublasXtGetNumBoards(int devices, int *numbers, int *count)
{
    return devices == 1 && numbers && numbers[0] == 0 ? cublasXtMaxBoards(count)
                                                      : CUBLAS_STATUS_INVALID_VALUE;
}

/* What changes speed alone: the size of tiles, and whether memory stays pinned. */
#define SETTING(name, type, member, least)                                                         \
    cublasStatus_t cublasXtSet##name(cublasXtHandle_t xt, type value);                             \
    cublasStatus_t cublasXtSet##name(cublasXtHandle_t xt, type value)                              \
    {                                                                                              \
        if (!xt || value < (least))                                                                \
            return xt ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;               \
        xt->member = value;                                                                        \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t cublasXtGet##name(cublasXtHandle_t xt, type *value);                            \
    cublasStatus_t cublasXtGet##name(cublasXtHandle_t xt, type *value)                             \
    {                                                                                              \
        if (!xt || !value)                                                                         \
            return xt ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;               \
        *value = xt->member;                                                                       \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }

SETTING(BlockDim, int, block, 1)
SETTING(PinningMemMode, int, pins, 0)

/* Pins a matrix that is neither the device's nor pinned. NULL: there is nothing to undo. */
static void *pin(const void *pointer, size_t rows, size_t columns, size_t stride, size_t size)
{
    if (!pointer || !rows || !columns || lab_sim_memory_host(pointer, size) ||
        cudaHostRegister((void *)pointer, ((columns - 1) * stride + rows) * size, 0))
        return NULL;
    return (void *)pointer;
}

#define GEMM(letter, REAL)                                                                         \
    cublasStatus_t cublasXt##letter##gemm(                                                         \
        cublasXtHandle_t xt, cublasOperation_t transa, cublasOperation_t transb, size_t m,         \
        size_t n, size_t k, const REAL *alpha, const REAL *a, size_t lda, const REAL *b,           \
        size_t ldb, const REAL *beta, REAL *c, size_t ldc);                                        \
    cublasStatus_t cublasXt##letter##gemm(                                                         \
        cublasXtHandle_t xt, cublasOperation_t transa, cublasOperation_t transb, size_t m,         \
        size_t n, size_t k, const REAL *alpha, const REAL *a, size_t lda, const REAL *b,           \
        size_t ldb, const REAL *beta, REAL *c, size_t ldc)                                         \
    {                                                                                              \
        const bool plain_a = transa == CUBLAS_OP_N, plain_b = transb == CUBLAS_OP_N;               \
        if (!xt)                                                                                   \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        if ((m | n | k | lda | ldb | ldc) > INT_MAX)                                               \
            return CUBLAS_STATUS_NOT_SUPPORTED;                                                    \
        void *const pinned[] = {pin(a, plain_a ? m : k, plain_a ? k : m, lda, sizeof *a),          \
                                pin(b, plain_b ? k : n, plain_b ? n : k, ldb, sizeof *b),          \
                                pin(c, m, n, ldc, sizeof *c)};                                     \
        const cublasStatus_t status =                                                              \
            cublas##letter##gemm(xt->handle, transa, transb, (int)m, (int)n, (int)k, alpha, a,     \
                                 (int)lda, b, (int)ldb, beta, c, (int)ldc);                        \
        cudaStreamSynchronize(0);                                                                  \
        for (int i = 0; i < 3; i++)                                                                \
            if (pinned[i])                                                                         \
                cudaHostUnregister(pinned[i]);                                                     \
        return status;                                                                             \
    }

GEMM(S, float)
GEMM(D, double)

#pragma GCC visibility pop
