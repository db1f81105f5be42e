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

Test(cublas, exports_every_symbol_of_the_real_library)
{
    static const char *const names[] = {
#define SIM_SYMBOL(name) #name,
#include "sim/cublas/symbols.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert_not_null(dlvsym(RTLD_DEFAULT, names[i], "libcublas.so.13"), "%s is missing",
                           names[i]);
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
