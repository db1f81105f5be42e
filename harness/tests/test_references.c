/* A reference that is wrong is not trusted: here cuBLAS, whose functions this program defines
 * itself and passes on, computes one element a little wrong, as it would with TF32 allowed. */
#include "tests/made_kernel.h"

#include <cublas_v2.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static double error; /* added to the first element of what cuBLAS computes */

static void spoil_float(float *device)
{
    float value;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    value += (float)error;
    cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice);
}

static void spoil_double(double *device)
{
    double value;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    value += error;
    cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice);
}

#define PASS_ON(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((visibility("default"))) cublasStatus_t
cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
               int k, const float *alpha, const float *a, int lda, const float *b, int ldb,
               const float *beta, float *c, int ldc)
{
    cublasStatus_t status =
        PASS_ON(cublasSgemm_v2)(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    spoil_float(c);
    return status;
}

__attribute__((visibility("default"))) cublasStatus_t
cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
               int k, const double *alpha, const double *a, int lda, const double *b, int ldb,
               const double *beta, double *c, int ldc)
{
    cublasStatus_t status =
        PASS_ON(cublasDgemm_v2)(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    spoil_double(c);
    return status;
}

__attribute__((visibility("default"))) cublasStatus_t
cublasDtrmm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
               cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n,
               const double *alpha, const double *a, int lda, const double *b, int ldb, double *c,
               int ldc)
{
    cublasStatus_t status = PASS_ON(cublasDtrmm_v2)(handle, side, fill, operation, diagonal, m, n,
                                                    alpha, a, lda, b, ldb, c, ldc);
    spoil_double(c);
    return status;
}

__attribute__((visibility("default"))) cublasStatus_t
cublasDsyr2k_v2(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, int n,
                int k, const double *alpha, const double *a, int lda, const double *b, int ldb,
                const double *beta, double *c, int ldc)
{
    cublasStatus_t status = PASS_ON(cublasDsyr2k_v2)(handle, fill, operation, n, k, alpha, a, lda,
                                                     b, ldb, beta, c, ldc);
    spoil_double(c);
    return status;
}

static int open_with(const char *id, const char *options, double wrong)
{
    struct made_kernel made;
    error = wrong;
    int status = made_kernel_try(&made, id, options);
    made_kernel_close(&made);
    return status;
}

/* Right as it is; refused with an error that is a few times what a kernel may err. */
static void expect_distrust(const char *id, const char *options, double wrong)
{
    const char *name = lab_family_find(id)->options->name;
    cr_expect_eq(open_with(id, options, 0.0), LAB_EXIT_OK, "%s: the right one is refused", name);
    cr_expect_eq(open_with(id, options, wrong), LAB_EXIT_MISSING, "%s: %g is believed", name,
                 wrong);
    cr_expect_eq(open_with(id, options, -wrong), LAB_EXIT_MISSING, "%s: %g is believed", name,
                 -wrong);
}

/* Tolerances of 384 2^-24 and 564 2^-24: see test_tolerances.c. */
Test(references, gemm)
{
    expect_distrust("gemm", "-m 33 -n 47 -k 64", 3.0 * 384.0 * 0x1p-24);
    expect_distrust("gemm_tn", "-m 33 -n 47 -k 100 --beta 1", 3.0 * 564.0 * 0x1p-24);
    expect_distrust("gemm_nt", "-m 33 -n 47 -k 100 --beta 1", 3.0 * 564.0 * 0x1p-24);
}

/* One product wrong by 10^-5 moves V[0] by less than a kernel may err, and by too much for what
 * kernels are compared with. */
Test(references, kernel_summation)
{
    static const char options[] = "-m 16 -n 16 -k 32";
    expect_distrust("kernel_summation", options, 1e-5);
    expect_distrust("cauchy", options, 1e-5);
}

/* So large that cuBLAS makes the reference, not compensated sums: 2 (L + 2) L 2^-53 with L = 661.
 */
Test(references, trmm)
{
    static const char options[] = "-n 660";
    expect_distrust("trmm", options, 3.0 * 2.0 * 663.0 * 661.0 * 0x1p-53);
    expect_distrust("trmm_lower", options, 3.0 * 2.0 * 663.0 * 661.0 * 0x1p-53);
}

/* L = 1200. */
Test(references, syr2k)
{
    static const char options[] = "-n 500 -p 20 -q 30";
    expect_distrust("syr2k", options, 3.0 * 2.0 * 1202.0 * 1200.0 * 0x1p-53);
}
