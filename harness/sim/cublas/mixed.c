/* Products of matrices whose element types differ from each other or from the type of the sums:
 * cublasGemmEx and its batches, and products of halves. The elements become doubles, in which the
 * products of 8, 16 and 32 bits are nearly exact, and the sums are rounded once: more exact than a
 * GPU, also for the compute types that allow TF32 or halves inside. */
#include <stdlib.h>
#include <string.h>

#include "handle.h"

/* C = alpha op(A) op(B) + beta C. */
struct product {
    const char *call;
    cublasOperation_t trans_a, trans_b;
    int m, n, k, lda, ldb, ldc;
    cudaDataType type_a, type_b, type_c;
    cublasComputeType_t compute;
    const void *alpha, *beta; /* of the type of the sums */
};

static bool is_operation(cublasOperation_t operation)
{
    return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

static int transpose_of(cublasOperation_t operation)
{
    return operation == CUBLAS_OP_N ? SIM_BLAS_NO_TRANSPOSE : SIM_BLAS_TRANSPOSE;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* The type of alpha and beta. */
static cudaDataType scalar_type(cublasComputeType_t compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return CUDA_R_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return CUDA_R_32I;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return CUDA_R_64F;
    default:
        return CUDA_R_32F;
    }
}

/* The combinations of real types that cuBLAS lists for cublasGemmEx(). */
static bool is_supported(const struct product *p)
{
    const cudaDataType a = p->type_a, c = p->type_c;
    if (a != p->type_b)
        return false;
    switch (p->compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return a == CUDA_R_16F && c == CUDA_R_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return a == CUDA_R_8I && c == CUDA_R_32I;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return a == CUDA_R_64F && c == CUDA_R_64F;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
        return ((a == CUDA_R_16F || a == CUDA_R_16BF) && (c == a || c == CUDA_R_32F)) ||
               ((a == CUDA_R_8I || a == CUDA_R_32F) && c == CUDA_R_32F);
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
        return a == CUDA_R_32F && c == CUDA_R_32F;
    default:
        return false;
    }
}

/* ---- products -------------------------------------------------------------------------------- */

/* A matrix as doubles without gaps, to be freed; NULL: no memory, or not all of it in an
 * allocation. */
static double *widened(const struct product *p, const char *name, const void *pointer, int rows,
                       int columns, int stride, cudaDataType type)
{
    const void *const from =
        sim_cublas_matrix(p->call, &(struct sim_matrix){name, pointer, rows, columns, stride},
                          sim_element_bytes(type));
    double *const to = from ? malloc(((size_t)rows * (size_t)columns + 1) * sizeof *to) : NULL;
    for (int64_t j = 0; to && j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            to[j * rows + i] = sim_element_value(from, j * stride + i, type);
    return to;
}

/* Computes one product of device matrices. */
static cublasStatus_t multiply(const struct product *p, const void *a, const void *b, void *c)
{
    const bool plain_a = p->trans_a == CUBLAS_OP_N, plain_b = p->trans_b == CUBLAS_OP_N;
    const double alpha = sim_element_value(p->alpha, 0, scalar_type(p->compute));
    const double beta = sim_element_value(p->beta, 0, scalar_type(p->compute));
    const int k = alpha != 0 ? p->k : 0; /* else A and B may be NULL */
    const int a_rows = plain_a ? p->m : k, b_rows = plain_b ? k : p->n;
    if ((k > 0 && (!a || !b)) || !c)
        return CUBLAS_STATUS_INVALID_VALUE;
    const struct sim_blas_double *const blas = sim_openblas_double();
    void *const to = sim_cublas_matrix(p->call, &(struct sim_matrix){"C", c, p->m, p->n, p->ldc},
                                       sim_element_bytes(p->type_c));
    double *const left =
        blas && to ? widened(p, "A", a, a_rows, plain_a ? k : p->m, p->lda, p->type_a) : NULL;
    double *const right =
        left ? widened(p, "B", b, b_rows, plain_b ? p->n : k, p->ldb, p->type_b) : NULL;
    double *const sums = right ? widened(p, "C", c, p->m, p->n, p->ldc, p->type_c) : NULL;
    if (sums) {
        if (beta == 0) /* C may hold NaN */
            memset(sums, 0, (size_t)p->m * (size_t)p->n * sizeof *sums);
        blas->gemm(SIM_BLAS_COLUMN_MAJOR, transpose_of(p->trans_a), transpose_of(p->trans_b), p->m,
                   p->n, k, alpha, left, a_rows ? a_rows : 1, right, b_rows ? b_rows : 1, beta,
                   sums, p->m);
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m; i++)
                sim_element_put(to, j * p->ldc + i, p->type_c, sums[j * p->m + i]);
    }
    free(left);
    free(right);
    free(sums);
    return sums ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* Checks the arguments and fetches the scalars. `*empty` says that there is nothing to do. */
static cublasStatus_t begin(cublasHandle_t handle, struct product *p, bool *empty)
{
    const cublasStatus_t status = sim_cublas_begin(handle);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    const int a_rows = p->trans_a == CUBLAS_OP_N ? p->m : p->k;
    const int b_rows = p->trans_b == CUBLAS_OP_N ? p->k : p->n;
    if (!is_operation(p->trans_a) || !is_operation(p->trans_b) || p->m < 0 || p->n < 0 ||
        p->k < 0 || p->lda < 1 || p->ldb < 1 || p->ldc < 1 || p->lda < a_rows || p->ldb < b_rows ||
        p->ldc < p->m)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_supported(p)) {
        sim_cublas_report("%s: types %d, %d and %d with compute type %d are not supported", p->call,
                          (int)p->type_a, (int)p->type_b, (int)p->type_c, (int)p->compute);
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    *empty = p->m == 0 || p->n == 0;
    if (*empty)
        return CUBLAS_STATUS_SUCCESS;
    if (!p->alpha || !p->beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    const size_t size = sim_element_bytes(scalar_type(p->compute));
    p->alpha = sim_cublas_scalar(p->call, handle, p->alpha, size);
    p->beta = p->alpha ? sim_cublas_scalar(p->call, handle, p->beta, size) : NULL;
    return p->beta ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* ---- the calls ------------------------------------------------------------------------------- */

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType type_a, int lda, const void *b,
                            cudaDataType type_b, int ldb, const void *beta, void *c,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    struct product p = {"cublasGemmEx", transa, transb, m,       n,     k,   lda, ldb, ldc,
                        type_a,         type_b, type_c, compute, alpha, beta};
    bool empty;
    (void)algorithm;
    const cublasStatus_t status = begin(handle, &p, &empty);
    return status != CUBLAS_STATUS_SUCCESS || empty ? status : multiply(&p, a, b, c);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType type_a,
                                          int lda, long long int stride_a, const void *b,
                                          cudaDataType type_b, int ldb, long long int stride_b,
                                          const void *beta, void *c, cudaDataType type_c, int ldc,
                                          long long int stride_c, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    struct product p = {"cublasGemmStridedBatchedEx",
                        transa,
                        transb,
                        m,
                        n,
                        k,
                        lda,
                        ldb,
                        ldc,
                        type_a,
                        type_b,
                        type_c,
                        compute,
                        alpha,
                        beta};
    bool empty;
    (void)algorithm;
    cublasStatus_t status = begin(handle, &p, &empty);
    if (status == CUBLAS_STATUS_SUCCESS && (count < 0 || stride_a < 0 || stride_b < 0))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (status != CUBLAS_STATUS_SUCCESS || empty)
        return status;
    for (long long i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++)
        status = multiply(&p, (const char *)a + i * stride_a * (long long)sim_element_bytes(type_a),
                          (const char *)b + i * stride_b * (long long)sim_element_bytes(type_b),
                          (char *)c + i * stride_c * (long long)sim_element_bytes(type_c));
    return status;
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                   const void *const a[], cudaDataType type_a, int lda,
                                   const void *const b[], cudaDataType type_b, int ldb,
                                   const void *beta, void *const c[], cudaDataType type_c, int ldc,
                                   int count, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algorithm)
{
    static const char call[] = "cublasGemmBatchedEx";
    struct product p = {call, transa, transb, m,      n,       k,     lda, ldb,
                        ldc,  type_a, type_b, type_c, compute, alpha, beta};
    bool empty;
    (void)algorithm;
    cublasStatus_t status = begin(handle, &p, &empty);
    if (status == CUBLAS_STATUS_SUCCESS && count < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (status != CUBLAS_STATUS_SUCCESS || empty)
        return status;
    const void *const *const left =
        sim_cublas_vector(call, &(struct sim_vector){"the list of A", a, count, 1}, sizeof *a);
    const void *const *const right =
        sim_cublas_vector(call, &(struct sim_vector){"the list of B", b, count, 1}, sizeof *b);
    void *const *const to =
        sim_cublas_vector(call, &(struct sim_vector){"the list of C", c, count, 1}, sizeof *c);
    if (!left || !right || !to)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++)
        status = multiply(&p, left[i], right[i], to[i]);
    return status;
}

/* cuBLAS declares these for C++ alone, whose type __half a C file does not know. */
__attribute__((visibility("default"))) cublasStatus_t
hgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
      int k, const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta,
      void *c, int ldc) __asm__("cublasHgemm");
cublasStatus_t hgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                     int m, int n, int k, const void *alpha, const void *a, int lda, const void *b,
                     int ldb, const void *beta, void *c, int ldc)
{
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F,
                        ldb, beta, c, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}

__attribute__((visibility("default"))) cublasStatus_t
hgemm_strided(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
              int n, int k, const void *alpha, const void *a, int lda, long long int stride_a,
              const void *b, int ldb, long long int stride_b, const void *beta, void *c, int ldc,
              long long int stride_c, int count) __asm__("cublasHgemmStridedBatched");
cublasStatus_t hgemm_strided(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const void *alpha,
                             const void *a, int lda, long long int stride_a, const void *b, int ldb,
                             long long int stride_b, const void *beta, void *c, int ldc,
                             long long int stride_c, int count)
{
    return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, CUDA_R_16F, lda,
                                      stride_a, b, CUDA_R_16F, ldb, stride_b, beta, c, CUDA_R_16F,
                                      ldc, stride_c, count, CUBLAS_COMPUTE_16F,
                                      CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float *alpha,
                             const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const float *beta, void *c,
                             cudaDataType type_c, int ldc)
{
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb,
                        beta, c, type_c, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
