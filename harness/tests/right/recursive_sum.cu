// run: step01
// The sum by halves, by a function that calls itself.
#include "families/gemm.h"

static __device__ __noinline__ float sum_of(const float *a, const float *b, int step, int count)
{
    if (count == 1)
        return *a * *b;
    const int half = count / 2;
    return sum_of(a, b, step, half) + sum_of(a + half, b + (size_t)half * step, step, count - half);
}

static __global__ void gemm(const struct lab_gemm p)
{
    const size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= (size_t)p.m * p.n)
        return;
    const float sum = sum_of(p.a + e / p.n * p.k, p.b + e % p.n, p.n, p.k);
    p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)(((size_t)p->m * p->n - 1) / 64 + 1), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"recursive", launch});
