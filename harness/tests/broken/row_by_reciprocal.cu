// expect: wrong
// run: step01 -m 99 -n 41 -k 3
// says: only in column 0, but not all of it
// A row is found by a product with 1 / n, which is a little too small for some: the row before, and
// a column behind its end, so that A is not that of B.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= p.m * p.n)
        return;
    float sum = 0.0f;
    const int row = (int)(e * (1.0f / p.n)), column = e - row * p.n;
    for (int i = 0; i < p.k; i++)
        sum += p.a[row * p.k + i] * p.b[i * p.n + column % p.n];
    p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(p->m * p->n - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"row_by_reciprocal", launch});
