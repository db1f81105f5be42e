/* The drop-in cuBLAS against plain loops, in both precisions, and its handling of bad arguments. */
#include <cublas_v2.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/lab_sim.h"

#define REAL         float
#define CASE(name)   Test(cublas_float, name)
#define CUBLAS(name) cublasS##name
#define INDEX(name)  cublasIs##name
#define OWN(name)    float_##name
#define TOLERANCE    1e-5
#include "cublas_cases.inc"
#undef REAL
#undef CASE
#undef CUBLAS
#undef INDEX
#undef OWN
#undef TOLERANCE

#define REAL         double
#define CASE(name)   Test(cublas_double, name)
#define CUBLAS(name) cublasD##name
#define INDEX(name)  cublasId##name
#define OWN(name)    double_##name
#define TOLERANCE    1e-13
#include "cublas_cases.inc"

Test(cublas, handles_and_modes)
{
    cublasHandle_t handle;
    cr_assert_eq(cublasCreate(NULL), CUBLAS_STATUS_INVALID_VALUE);
    cr_assert_eq(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    cudaStream_t stream, got = NULL;
    cr_assert_eq(cudaStreamCreate(&stream), cudaSuccess);
    cr_assert_eq(cublasSetStream(handle, stream), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cublasGetStream(handle, &got), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(got, stream);
    cublasPointerMode_t mode;
    cr_assert_eq(cublasGetPointerMode(handle, &mode), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(mode, CUBLAS_POINTER_MODE_HOST);
    cr_assert_eq(cublasSetPointerMode(handle, 7), CUBLAS_STATUS_INVALID_VALUE);
    cublasMath_t math;
    cr_assert_eq(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cublasGetMathMode(handle, &math), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(math, CUBLAS_PEDANTIC_MATH);
    int version = 0;
    cr_assert_eq(cublasGetVersion(handle, &version), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(version, CUBLAS_VERSION);
    cr_assert_eq(cublasSetWorkspace(handle, NULL, 0), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cublasDestroy(NULL), CUBLAS_STATUS_NOT_INITIALIZED);
    cr_assert_eq(cublasSetStream(NULL, stream), CUBLAS_STATUS_NOT_INITIALIZED);
}

/* Matrices of the host's, and one of the device's; the header of cublasXt is not needed. */
Test(cublas, products_of_host_memory)
{
    typedef struct cublasXtContext *xt_handle;
    extern cublasStatus_t cublasXtCreate(xt_handle *), cublasXtDestroy(xt_handle),
        cublasXtDeviceSelect(xt_handle, int, int *), cublasXtSetBlockDim(xt_handle, int);
    extern cublasStatus_t cublasXtSgemm(xt_handle, cublasOperation_t, cublasOperation_t, size_t,
                                        size_t, size_t, const float *, const float *, size_t,
                                        const float *, size_t, const float *, float *, size_t);
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 1, 2, 1, 0}, one = 1, two = 2;
    float c[4] = {1, 1, 1, 1}, *device;
    xt_handle xt;
    int devices[] = {0, 1};
    cr_assert_eq(cublasXtCreate(&xt), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cublasXtDeviceSelect(xt, 2, devices), CUBLAS_STATUS_INVALID_VALUE);
    cr_assert_eq(cublasXtDeviceSelect(xt, 1, devices), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cublasXtSetBlockDim(xt, 64), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cudaMalloc((void **)&device, sizeof b), cudaSuccess);
    cr_assert_eq(cudaMemcpy(device, b, sizeof b, cudaMemcpyHostToDevice), cudaSuccess);
    cr_assert_eq(
        cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &two, a, 2, device, 3, &one, c, 2),
        CUBLAS_STATUS_SUCCESS);
    cr_assert(c[0] == 13 && c[1] == 17 && c[2] == 11 && c[3] == 17, "%g %g %g %g", c[0], c[1], c[2],
              c[3]);
    cr_assert_eq(cudaHostRegister(c, sizeof c, 0), cudaSuccess, "c is still pinned");
    cr_assert_eq(cublasXtDestroy(xt), CUBLAS_STATUS_SUCCESS);
}

Test(cublas, statuses_have_names)
{
    cr_assert_str_eq(cublasGetStatusName(CUBLAS_STATUS_SUCCESS), "CUBLAS_STATUS_SUCCESS");
    cr_assert_str_eq(cublasGetStatusName(CUBLAS_STATUS_EXECUTION_FAILED),
                     "CUBLAS_STATUS_EXECUTION_FAILED");
    cr_assert_str_eq(cublasGetStatusString(CUBLAS_STATUS_INVALID_VALUE),
                     "an unsupported value or parameter was passed to the function");
    cr_assert_str_eq(cublasGetStatusName(99), "unrecognized status");
}

Test(cublas, what_is_not_implemented_links_and_says_so)
{
    lab_sim_set_quiet(1);
    cublasHandle_t handle;
    cr_assert_eq(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cublasCgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, NULL, NULL, 1, NULL, 1,
                             NULL, NULL, 1),
                 CUBLAS_STATUS_NOT_SUPPORTED);
}

/* Not implemented, and told: the graph that the capture would give is not made. */
Test(cublas, is_refused_in_a_capture)
{
    static float x[4], factor = 2.0f;
    cublasHandle_t handle;
    cudaStream_t stream;
    cudaGraph_t graph;
    lab_sim_set_quiet(1);
    cr_assert_eq(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cudaStreamCreate(&stream), cudaSuccess);
    cr_assert_eq(cublasSetStream(handle, stream), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    cr_assert_eq(cublasSscal(handle, 4, &factor, x, 1), CUBLAS_STATUS_EXECUTION_FAILED);
    cr_assert_eq(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
}

Test(cublas, exports_every_symbol_of_the_real_library)
{
    static const char *const names[] = {
#define SIM_SYMBOL(name) #name,
#include "sim/cublas/symbols.def"
    };
    cr_assert_eq(sizeof names / sizeof names[0], 806);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert_not_null(
            dlvsym(RTLD_DEFAULT, names[i],
                   strncmp(names[i], "cublasLt", 8) == 0 ? "libcublasLt.so.13" : "libcublas.so.13"),
            "%s is missing", names[i]);
}

Test(cublas, matrices_travel_with_their_strides)
{
    int host[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0}, *device;
    cr_assert_eq(cudaMalloc((void **)&device, 8 * sizeof *device), cudaSuccess);
    cr_assert_eq(cublasSetMatrix(2, 2, sizeof(int), host, 3, device, 4), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cublasGetMatrix(2, 2, sizeof(int), device, 4, back, 2), CUBLAS_STATUS_SUCCESS);
    cr_assert(back[0] == 1 && back[1] == 2 && back[2] == 4 && back[3] == 5 && back[4] == 0);
    cr_assert_eq(cublasSetVector(3, sizeof(int), host, 2, device, 1), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cublasGetVector(3, sizeof(int), device, 1, back, 1), CUBLAS_STATUS_SUCCESS);
    cr_assert(back[0] == 1 && back[1] == 3 && back[2] == 5);
    cr_assert_eq(cublasSetMatrix(3, 2, sizeof(int), host, 2, device, 3),
                 CUBLAS_STATUS_MAPPING_ERROR);
}

/* ---- products of mixed types ----------------------------------------------------------------- */

/* cublasHgemm, whose declaration is for C++. */
cublasStatus_t hgemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                     const void *, const void *, int, const void *, int, const void *, void *,
                     int) __asm__("cublasHgemm");

/* Small whole numbers as f16 or as bf16. */
static uint16_t half_of(int value, bool is_bf16)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (is_bf16)
        return (uint16_t)(bits >> 16);
    return value == 0 ? 0
                      : (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 |
                                   (bits >> 13 & 1023));
}

/* Element i of a matrix, by its type. */
static void put(void *matrix, int i, cudaDataType type, int value)
{
    if (type == CUDA_R_8I)
        ((int8_t *)matrix)[i] = (int8_t)value;
    else if (type == CUDA_R_32I)
        ((int32_t *)matrix)[i] = value;
    else if (type == CUDA_R_32F)
        ((float *)matrix)[i] = (float)value;
    else if (type == CUDA_R_64F)
        ((double *)matrix)[i] = value;
    else
        ((uint16_t *)matrix)[i] = half_of(value, type == CUDA_R_16BF);
}

static bool holds(const void *matrix, int i, cudaDataType type, int value)
{
    double one[1] = {0};
    put(one, 0, type, value);
    const size_t size = type == CUDA_R_64F ? 8 : type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : 4;
    return memcmp((const char *)matrix + (size_t)i * size, one, size) == 0;
}

/* Whole numbers, whose sums every type holds: C (3 x 2) = 2 A (3 x 4) B (4 x 2) + 3 C, with gaps
 * between columns, transposed as asked. Three products, one after the other. */
Test(cublas, products_of_mixed_types)
{
    enum { M = 3, N = 2, K = 4, LD = 5, COUNT = 3, SIZE = 8 * LD * 4 * COUNT };
    static const struct {
        cudaDataType in, out;
        cublasComputeType_t compute;
        cudaDataType scalar;
    } cases[] = {
        {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F},
        {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
        {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F},
        {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
        {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I},
        {CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
        {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F},
        {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F},
    };
    cublasHandle_t handle;
    cr_assert_eq(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    for (size_t t = 0; t < 4 * sizeof cases / sizeof *cases; t++) {
        const cudaDataType in = cases[t / 4].in, out = cases[t / 4].out;
        const bool trans_a = t & 1, trans_b = t & 2;
        double host_a[SIZE / 8] = {0}, host_b[SIZE / 8] = {0}, host_c[SIZE / 8] = {0}, scalars[2];
        char *a, *b, *c;
        for (int i = 0; i < COUNT * LD * 4; i++) {
            put(host_a, i, in, i % 7 - 3);
            put(host_b, i, in, i % 5 - 2);
            put(host_c, i, out, i % 3 - 1);
        }
        put(&scalars[0], 0, cases[t / 4].scalar, 2);
        put(&scalars[1], 0, cases[t / 4].scalar, 3);
        cudaMalloc((void **)&a, SIZE), cudaMalloc((void **)&b, SIZE), cudaMalloc((void **)&c, SIZE);
        cudaMemcpy(a, host_a, SIZE, cudaMemcpyHostToDevice);
        cudaMemcpy(b, host_b, SIZE, cudaMemcpyHostToDevice);
        cudaMemcpy(c, host_c, SIZE, cudaMemcpyHostToDevice);
        cr_expect_eq(cublasGemmStridedBatchedEx(handle, trans_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                                                trans_b ? CUBLAS_OP_T : CUBLAS_OP_N, M, N, K,
                                                &scalars[0], a, in, LD, LD * 4, b, in, LD, LD * 4,
                                                &scalars[1], c, out, LD, LD * 4, COUNT,
                                                cases[t / 4].compute, CUBLAS_GEMM_DEFAULT),
                     CUBLAS_STATUS_SUCCESS);
        cudaMemcpy(host_c, c, SIZE, cudaMemcpyDeviceToHost);
        for (int i = 0; i < COUNT * LD * 4; i++) {
            const int batch = i / (LD * 4), row = i % LD, column = i / LD % 4, at = batch * LD * 4;
            int sum = i % 3 - 1;
            if (row < M && column < N) {
                sum *= 3;
                for (int k = 0; k < K; k++)
                    sum += 2 * ((at + (trans_a ? row * LD + k : k * LD + row)) % 7 - 3) *
                           ((at + (trans_b ? k * LD + column : column * LD + k)) % 5 - 2);
            }
            cr_expect(holds(host_c, i, out, sum), "case %zu, element %d is not %d", t, i, sum);
        }
        cudaFree(a), cudaFree(b), cudaFree(c);
    }
    cublasDestroy(handle);
}

Test(cublas, a_product_of_halves_rounds_once)
{
    cublasHandle_t handle;
    uint16_t *data, one = half_of(1, false), zero = 0, sum;
    const uint16_t host[] = {half_of(1, false), half_of(1024, false), half_of(1, false),
                             half_of(2, false), 0x7e00};
    cr_assert_eq(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    cudaMalloc((void **)&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    /* 1 * 1 + 1024 * 2 = 2049, which no half is; beta is 0, and the NaN of C does not stay. */
    cr_expect_eq(hgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 2, &one, data, 1, data + 2, 2, &zero,
                       data + 4, 1),
                 CUBLAS_STATUS_SUCCESS);
    cudaMemcpy(&sum, data + 4, sizeof sum, cudaMemcpyDeviceToHost);
    cr_expect_eq(sum, half_of(2048, false));
    cr_expect_eq(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, data, CUDA_R_16F, 1,
                              data, CUDA_R_16BF, 1, &zero, data, CUDA_R_16F, 1, CUBLAS_COMPUTE_16F,
                              CUBLAS_GEMM_DEFAULT),
                 CUBLAS_STATUS_NOT_SUPPORTED);
    cr_expect_eq(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, data, CUDA_R_16F, 1,
                              data, CUDA_R_16F, 1, &zero, data, CUDA_R_16F, 2, CUBLAS_COMPUTE_16F,
                              CUBLAS_GEMM_DEFAULT),
                 CUBLAS_STATUS_INVALID_VALUE);
    cudaFree(data);
    cublasDestroy(handle);
}
