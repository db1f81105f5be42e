// expect: ok
// Lines for debugging that were left in: a thread that prints, and assertions.
#include <assert.h>
#include <stdio.h>
#include "families/gemm.h"

__global__ void gemm(struct lab_gemm p)
{
    size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0 && blockIdx.x == 0)
        printf("m = %d, n = %d, k = %d, alpha = %f\n", p.m, p.n, p.k, p.alpha);
    if (element >= (size_t)p.m * p.n)
        return;
    int row = element / p.n;
    int col = element % p.n;
    assert(row < p.m && col < p.n);
    float sum = 0;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)i * p.m + row] * p.b[(size_t)i * p.n + col];
    if (p.beta == 0)
        p.c[element] = p.alpha * sum;
    else
        p.c[element] = p.alpha * sum + p.beta * p.c[element];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int threads = 256;
    const size_t elements = (size_t)p->m * p->n;
    gemm<<<(unsigned)((elements + threads - 1) / threads), threads, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
