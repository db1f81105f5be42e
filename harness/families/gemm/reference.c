/* The reference of family gemm, cublasSgemm, and the tolerance that follows from type and k. */
#include "families/gemm/state.h"

#include "base/status.h"

#include <cublas_v2.h>
#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 64 };

/* Row-major C = A B is column-major C' = B' A', which is what cuBLAS computes. */
cudaError_t gemm_launch_reference(struct lab_problem *p, int row)
{
    const struct lab_gemm *g = gemm_of(p);
    (void)row;
    cublasStatus_t status = cublasSgemm(
        p->cublas, CUBLAS_OP_N, g->a_is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, g->n, g->m, g->k,
        &g->alpha, g->b, (int)g->row_b, g->a, (int)g->row_a, &g->beta, g->c, (int)g->row_c);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

/*
 * The tolerance on |got - expected|, both computed in FP32 in any order; u = 2^-24.
 *
 * Inputs have magnitude uniform in [1/2, 1) and random sign: the square of one has mean 7/12, so a
 * partial sum of j products has standard deviation (7/12) sqrt(j). Each addition rounds with an
 * error of at most u |sum|, of standard deviation below u |sum| / sqrt(3). Over k additions in the
 * worst order, one after another, that adds up to u / sqrt(3) * 7/12 * k / sqrt(2) = 0.24 u k. The
 * largest of 2^28 elements lies at 6.1 standard deviations, 1.45 u k; the difference of two such
 * results at sqrt(2) times that, 2.1 u k. We allow about twice: 4 u k. Scaling by alpha and adding
 * beta C round a few more times, relative to |alpha| * 3.6 sqrt(k) (6.1 standard deviations of the
 * sum) and |beta|: the other two terms, which also cover small k, where errors are not yet
 * Gaussian.
 *
 * A wrong term moves an element by at least |alpha| / 4, so it shows for every k below 10^6. TF32
 * or FP16 products err by 2^-11 each, some 10 times the tolerance at k = 4096, and show too.
 */
float gemm_tolerance(const struct lab_problem *p)
{
    const struct lab_gemm *g = gemm_of(p);
    double u = ldexp(1.0, -24), k = g->k;
    return (float)(u * (fabs(g->alpha) * (4.0 * k + 16.0 * sqrt(k)) + 4.0 * fabs(g->beta)));
}

static double exact_element(const struct lab_problem *p, size_t row, size_t column)
{
    const struct lab_gemm *g = gemm_of(p);
    double sum = 0.0;
    float a, b, c;
    for (int i = 0; i < g->k; i++) {
        gemm_fill(p, GEMM_A, &a, g->a_is_transposed ? (size_t)i * g->m + row : row * g->k + i, 1);
        gemm_fill(p, GEMM_B, &b, (size_t)i * g->n + column, 1);
        sum += (double)a * b;
    }
    gemm_fill(p, GEMM_C, &c, row * g->n + column, 1);
    return ldexp(g->alpha * sum + (double)g->beta * c, -gemm_exponent(p, row, column));
}

/* The reference is trusted only after a sample of it agrees with sums in double precision. */
static int verify_reference(const struct lab_problem *p)
{
    const float *expected = gemm_state_of(p)->expected;
    const size_t n = (size_t)gemm_of(p)->n, count = gemm_count(gemm_of(p), GEMM_C);
    for (size_t i = 0; i < count; i += count / SAMPLES + 1) {
        double exact = exact_element(p, i / n, i % n), got = expected[i];
        if (isfinite((float)exact) && !(fabs(got - exact) <= gemm_tolerance(p)))
            return lab_complain(LAB_EXIT_MISSING,
                                "the reference itself is wrong: cublasSgemm gives C[%zu][%zu] = "
                                "%.9g, double precision %.9g (is NVIDIA_TF32_OVERRIDE set?)",
                                i / n, i % n, got, exact);
    }
    return LAB_EXIT_OK;
}

int gemm_make_reference(struct lab_problem *p)
{
    const size_t count = gemm_count(gemm_of(p), GEMM_C);
    float *expected = gemm_state_of(p)->expected = malloc(count * sizeof *expected);
    if (!expected)
        return lab_complain(LAB_EXIT_USAGE,
                            "no memory on the host for %d x %d x %d; give smaller -m -n -k",
                            gemm_of(p)->m, gemm_of(p)->n, gemm_of(p)->k);
    cudaError_t status = lab_problem_reset(p);
    if (status == cudaSuccess)
        status = gemm_launch_reference(p, LAB_REFERENCE_ROW);
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(p->stream);
    if (status == cudaSuccess)
        status = cudaMemcpy(expected, p->buffers[GEMM_C].data, p->buffers[GEMM_C].bytes,
                            cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return lab_complain(LAB_EXIT_MISSING, "the reference, cublasSgemm, failed: %s",
                            cudaGetErrorString(status));
    gemm_unspread(p, expected, 0, count);
    return verify_reference(p);
}
