// expect: ok
// Waits at the barrier of its cluster, which is one block.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const size_t e = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (e >= (size_t)p.m * p.n)
        return;
    const size_t row = e / p.n, col = e % p.n;
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < p.k; i += 32)
        sum += p.a[row * p.k + i] * p.b[(size_t)i * p.n + col];
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
    asm volatile("barrier.cluster.arrive.aligned;");
    asm volatile("barrier.cluster.wait.aligned;");
    if (threadIdx.x % 32 == 0)
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)(((size_t)p->m * p->n + 3) / 4), 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"clusters", launch});
