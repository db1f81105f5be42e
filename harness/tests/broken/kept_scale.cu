// expect: wrong
// The scale of the result is a variable of the device that each launch leaves doubled.
#include "families/gemm.h"

__device__ float scale = 1.0f;

static __global__ void gemm(const struct lab_gemm p)
{
    const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= p.m * p.n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        sum += p.a[e / p.n * p.k + i] * p.b[i * p.n + e % p.n];
    p.c[e] = scale * p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static __global__ void next()
{
    scale *= 2.0f;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(p->m * p->n - 1) / 256 + 1, 256, 0, stream>>>(*p);
    next<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"kept_scale", launch});
