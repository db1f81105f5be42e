// run: step01
// Sums with what rounding has taken from them carried along; beta 0 and infinities need no care
// beyond that: where the carry is no number, it is left out.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < (size_t)p.m * p.n;
         e += (size_t)gridDim.x * blockDim.x) {
        float sum = 0.0f, carry = 0.0f;
        for (int i = 0; i < p.k; i++) {
            const float term = __fmul_rn(p.a[e / p.n * p.k + i], p.b[(size_t)i * p.n + e % p.n]);
            const float next = __fsub_rn(term, carry), total = __fadd_rn(sum, next);
            const float lost = __fsub_rn(__fsub_rn(total, sum), next);
            carry = isfinite(lost) ? lost : 0.0f;
            sum = total;
        }
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<5, 96, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"compensated", launch});
