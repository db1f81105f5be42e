// expect: wrong
// run: step01 -m 17 -n 19 -k 33 --values special --alpha 1.5
// says: no product may be left out
// Leaves out products with a 0 of A, also where B has an infinity or a NaN.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= p.m * p.n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++) {
        const float x = p.a[e / p.n * p.k + i];
        if (x != 0.0f)
            sum += x * p.b[i * p.n + e % p.n];
    }
    p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(p->m * p->n - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"zeros_skipped", launch});
