// expect: out_of_bounds
// on a GPU: ok
// run: step01 -m 9 -n 70 -k 9
// says: freed
// The first thread gives the block's sums back, and the others still use them.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float *sums;
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    if (threadIdx.x == 0)
        sums = (float *)malloc(64 * sizeof *sums);
    __syncthreads();
    sums[threadIdx.x] = 0.0f;
    for (int i = 0; i < p.k && column < p.n; i++)
        sums[threadIdx.x] += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    __syncthreads();
    if (threadIdx.x == 0)
        free(sums);
    if (column >= p.n)
        return;
    float *const c = &p.c[(size_t)row * p.n + column];
    const float sum = sums[threadIdx.x]; // BUG
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"heap_freed_early", launch});
