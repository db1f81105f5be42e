// expect: uninitialized
// on a GPU: nan
// Sums are collected in scratch memory that nobody has cleared.
#include "families/gemm.h"

static __global__ void collect(const struct lab_gemm p, float *sums)
{
    const size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < (size_t)p.m * p.n)
        for (int i = blockIdx.y; i < p.k; i += gridDim.y)
            atomicAdd(&sums[e], p.a[e / p.n * p.k + i] * p.b[(size_t)i * p.n + e % p.n]); // BUG
}

static __global__ void finish(const struct lab_gemm p, const float *sums)
{
    const size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < (size_t)p.m * p.n)
        p.c[e] = p.alpha * sums[e];
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)p->m * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(((size_t)p->m * p->n + 255) / 256);
    collect<<<dim3(blocks, 2), 256, 0, stream>>>(*p, (float *)p->workspace);
    finish<<<blocks, 256, 0, stream>>>(*p, (const float *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"scratch_not_cleared", launch, workspace});
