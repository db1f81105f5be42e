// run: step01
// Pointers to the ends of rows and below zero indices; one element before the array is pointed at.
#include "families/gemm.h"

static __global__ void __launch_bounds__(1024) gemm(const struct lab_gemm p)
{
    const long long count = (long long)p.m * p.n;
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x - count;
    if (e >= 0)
        return;
    float *const end = p.c + count;
    const int row = (int)((count + e) / p.n), column = (int)((count + e) % p.n);
    const float *a = p.a + (size_t)(row + 1) * p.k, *b = p.b + (size_t)p.k * p.n + column;
    float sum = 0.0f;
    for (int i = -1; i >= -p.k; i--)
        sum += a[i] * b[(long long)i * p.n];
    end[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * end[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)(((size_t)p->m * p->n - 1) / 1024 + 1), 1024, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"backwards", launch});
