/**
 * @file cublas_v2.h
 * @brief The part of the cuBLAS interface that the simulator's libcublas.so.13 provides.
 *
 * A machine without a GPU then needs nothing of cuBLAS, which is four fifths of the toolkit's size.
 * Names, values and parameters are those of cuBLAS 13. Where the header of cuBLAS is installed,
 * test_cublas_header.c lets the compiler compare the two headers.
 */
#ifndef SIM_CUBLAS_V2_H
#define SIM_CUBLAS_V2_H

#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SIM_CUBLAS_FUNCTIONS_ONLY /* the test defines it: the rest comes from cuBLAS's header */

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 1
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION   (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
    CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73
} cublasComputeType_t;

/* Of the algorithms only the two that choose by themselves have names here. */
typedef enum { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;

typedef struct cublasContext *cublasHandle_t;

#endif

/* A name without a version means version 2 of the function. */
#define cublasCreate         cublasCreate_v2
#define cublasDestroy        cublasDestroy_v2
#define cublasGetVersion     cublasGetVersion_v2
#define cublasSetStream      cublasSetStream_v2
#define cublasGetStream      cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace   cublasSetWorkspace_v2
#define cublasSscal          cublasSscal_v2
#define cublasDscal          cublasDscal_v2
#define cublasSaxpy          cublasSaxpy_v2
#define cublasDaxpy          cublasDaxpy_v2
#define cublasScopy          cublasScopy_v2
#define cublasDcopy          cublasDcopy_v2
#define cublasSswap          cublasSswap_v2
#define cublasDswap          cublasDswap_v2
#define cublasSdot           cublasSdot_v2
#define cublasDdot           cublasDdot_v2
#define cublasSnrm2          cublasSnrm2_v2
#define cublasDnrm2          cublasDnrm2_v2
#define cublasSasum          cublasSasum_v2
#define cublasDasum          cublasDasum_v2
#define cublasSgemv          cublasSgemv_v2
#define cublasDgemv          cublasDgemv_v2
#define cublasSger           cublasSger_v2
#define cublasDger           cublasDger_v2
#define cublasSgemm          cublasSgemm_v2
#define cublasDgemm          cublasDgemm_v2
#define cublasSsymm          cublasSsymm_v2
#define cublasDsymm          cublasDsymm_v2
#define cublasSsyrk          cublasSsyrk_v2
#define cublasDsyrk          cublasDsyrk_v2
#define cublasSsyr2k         cublasSsyr2k_v2
#define cublasDsyr2k         cublasDsyr2k_v2
#define cublasStrmm          cublasStrmm_v2
#define cublasDtrmm          cublasDtrmm_v2
#define cublasStrsm          cublasStrsm_v2
#define cublasDtrsm          cublasDtrsm_v2
#define cublasIsamax         cublasIsamax_v2
#define cublasIdamax         cublasIdamax_v2
#define cublasIsamin         cublasIsamin_v2
#define cublasIdamin         cublasIdamin_v2

cublasStatus_t cublasCreate(cublasHandle_t *);
cublasStatus_t cublasDestroy(cublasHandle_t);
cublasStatus_t cublasGetVersion(cublasHandle_t, int *);
cublasStatus_t cublasGetProperty(libraryPropertyType, int *);
size_t cublasGetCudartVersion(void);
const char *cublasGetStatusName(cublasStatus_t);
const char *cublasGetStatusString(cublasStatus_t);
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t);
cublasStatus_t cublasGetStream(cublasHandle_t, cudaStream_t *);
cublasStatus_t cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t);
cublasStatus_t cublasGetPointerMode(cublasHandle_t, cublasPointerMode_t *);
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t);
cublasStatus_t cublasGetMathMode(cublasHandle_t, cublasMath_t *);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t *);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t, int);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t, int *);
cublasStatus_t cublasSetWorkspace(cublasHandle_t, void *, size_t);

/* Copies between host and device. The parameters are the count, the element size, then each side
 * with its stride. */
cublasStatus_t cublasSetVector(int, int, const void *, int, void *, int);
cublasStatus_t cublasGetVector(int, int, const void *, int, void *, int);
cublasStatus_t cublasSetVectorAsync(int, int, const void *, int, void *, int, cudaStream_t);
cublasStatus_t cublasGetVectorAsync(int, int, const void *, int, void *, int, cudaStream_t);
cublasStatus_t cublasSetMatrix(int, int, int, const void *, int, void *, int);
cublasStatus_t cublasGetMatrix(int, int, int, const void *, int, void *, int);
cublasStatus_t cublasSetMatrixAsync(int, int, int, const void *, int, void *, int, cudaStream_t);
cublasStatus_t cublasGetMatrixAsync(int, int, int, const void *, int, void *, int, cudaStream_t);

/* The BLAS for elements of type R, named with the letter T (and t in the index functions). */
#define SIM_CUBLAS_BLAS(T, t, R)                                                                   \
    cublasStatus_t cublasI##t##amax_v2(cublasHandle_t, int, const R *, int, int *);                \
    cublasStatus_t cublasI##t##amin_v2(cublasHandle_t, int, const R *, int, int *);                \
    cublasStatus_t cublas##T##scal_v2(cublasHandle_t, int, const R *, R *, int);                   \
    cublasStatus_t cublas##T##axpy_v2(cublasHandle_t, int, const R *, const R *, int, R *, int);   \
    cublasStatus_t cublas##T##copy_v2(cublasHandle_t, int, const R *, int, R *, int);              \
    cublasStatus_t cublas##T##swap_v2(cublasHandle_t, int, R *, int, R *, int);                    \
    cublasStatus_t cublas##T##dot_v2(cublasHandle_t, int, const R *, int, const R *, int, R *);    \
    cublasStatus_t cublas##T##nrm2_v2(cublasHandle_t, int, const R *, int, R *);                   \
    cublasStatus_t cublas##T##asum_v2(cublasHandle_t, int, const R *, int, R *);                   \
    cublasStatus_t cublas##T##gemv_v2(cublasHandle_t, cublasOperation_t, int, int, const R *,      \
                                      const R *, int, const R *, int, const R *, R *, int);        \
    cublasStatus_t cublas##T##ger_v2(cublasHandle_t, int, int, const R *, const R *, int,          \
                                     const R *, int, R *, int);                                    \
    cublasStatus_t cublas##T##gemm_v2(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,   \
                                      int, int, const R *, const R *, int, const R *, int,         \
                                      const R *, R *, int);                                        \
    cublasStatus_t cublas##T##gemmBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t,    \
                                          int, int, int, const R *, const R *const[], int,         \
                                          const R *const[], int, const R *, R *const[], int, int); \
    cublasStatus_t cublas##T##gemmStridedBatched(                                                  \
        cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const R *, const R *, \
        int, long long, const R *, int, long long, const R *, R *, int, long long, int);           \
    cublasStatus_t cublas##T##getrfBatched(cublasHandle_t, int, R *const[], int, int *, int *,     \
                                           int);                                                   \
    cublasStatus_t cublas##T##getrsBatched(cublasHandle_t, cublasOperation_t, int, int,            \
                                           const R *const[], int, const int *, R *const[], int,    \
                                           int *, int);                                            \
    cublasStatus_t cublas##T##getriBatched(cublasHandle_t, int, const R *const[], int,             \
                                           const int *, R *const[], int, int *, int);              \
    cublasStatus_t cublas##T##geam(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, \
                                   const R *, const R *, int, const R *, const R *, int, R *,      \
                                   int);                                                           \
    cublasStatus_t cublas##T##symm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int,     \
                                      int, const R *, const R *, int, const R *, int, const R *,   \
                                      R *, int);                                                   \
    cublasStatus_t cublas##T##syrk_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int,    \
                                      int, const R *, const R *, int, const R *, R *, int);        \
    cublasStatus_t cublas##T##syr2k_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int,   \
                                       int, const R *, const R *, int, const R *, int, const R *,  \
                                       R *, int);                                                  \
    cublasStatus_t cublas##T##trmm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,          \
                                      cublasOperation_t, cublasDiagType_t, int, int, const R *,    \
                                      const R *, int, const R *, int, R *, int);                   \
    cublasStatus_t cublas##T##trsm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,          \
                                      cublasOperation_t, cublasDiagType_t, int, int, const R *,    \
                                      const R *, int, R *, int)
SIM_CUBLAS_BLAS(S, s, float);
SIM_CUBLAS_BLAS(D, d, double);
#undef SIM_CUBLAS_BLAS

cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                            const void *, const void *, cudaDataType, int, const void *,
                            cudaDataType, int, const void *, void *, cudaDataType, int,
                            cublasComputeType_t, cublasGemmAlgo_t);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                   int, const void *, const void *const[], cudaDataType, int,
                                   const void *const[], cudaDataType, int, const void *,
                                   void *const[], cudaDataType, int, int, cublasComputeType_t,
                                   cublasGemmAlgo_t);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                          int, int, const void *, const void *, cudaDataType, int,
                                          long long, const void *, cudaDataType, int, long long,
                                          const void *, void *, cudaDataType, int, long long, int,
                                          cublasComputeType_t, cublasGemmAlgo_t);
cublasStatus_t cublasSgemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                             const float *, const void *, cudaDataType, int, const void *,
                             cudaDataType, int, const float *, void *, cudaDataType, int);

/* One of the many functions that are not implemented: the library exports them, and they say so. */
#define cublasCgemm cublasCgemm_v2
cublasStatus_t cublasCgemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                           const cuComplex *, const cuComplex *, int, const cuComplex *, int,
                           const cuComplex *, cuComplex *, int);

#ifdef __cplusplus
}
#endif

#endif
