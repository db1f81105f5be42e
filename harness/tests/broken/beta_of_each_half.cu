// expect: wrong
// run: step01 -m 17 -n 19 -k 33 --beta 0.5
// says: beta
// says not: precision
// Adds beta times the old element for each half of the sum.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= p.m * p.n)
        return;
    float *c = &p.c[e], old = p.beta != 0.0f ? p.beta * *c : 0.0f;
    for (int half = 0; half < 2; half++) {
        float sum = 0.0f;
        for (int i = half; i < p.k; i += 2)
            sum += p.a[e / p.n * p.k + i] * p.b[i * p.n + e % p.n];
        *c = p.alpha * sum + old + (half ? *c : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(p->m * p->n - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"beta_of_each_half", launch});
