// expect: wrong
// run: step12 -m 18 -n 13 -k 11 --type f64
// Lane 4 g + t holds b[t][g] and b[t + 4][g] of the second operand, not b[g][t] and b[g][t + 4].
#include "families/gemm.h"
#include "ptx/tensor.h"

static __global__ void multiply(const struct lab_gemm p)
{
    const int g = threadIdx.x / 4, t = threadIdx.x % 4;
    const int top = blockIdx.x * 16, left = blockIdx.y * 8;
    double sum[4] = {};
    for (int start = 0; start < p.k; start += 8) {
        double a[4], b[2];
        for (int i = 0; i < 4; ++i) {
            const int row = top + g + i % 2 * 8, k = start + t + i / 2 * 4;
            a[i] = row < p.m && k < p.k ? p.a_double[row * p.row_a + k] : 0.0;
        }
        for (int i = 0; i < 2; ++i) {
            const int k = start + g, column = left + t + i * 4;
            b[i] = k < p.k && column < p.n ? p.b_double[k * p.row_b + column] : 0.0;
        }
        ptx_mma_f64(sum, a, b);
    }
    for (int i = 0; i < 4; ++i) {
        const int row = top + g + i / 2 * 8, column = left + 2 * t + i % 2;
        if (row < p.m && column < p.n) {
            double *const c = &p.c_double[row * p.row_c + column];
            *c = p.alpha_double * sum[i] + (p.beta_double == 0.0 ? 0.0 : p.beta_double * *c);
        }
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    multiply<<<dim3((p->m - 1) / 16 + 1, (p->n - 1) / 8 + 1), 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"fragment_turned", launch, NULL, LAB_GEMM_NN | LAB_GEMM_DOUBLES});
