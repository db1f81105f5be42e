// expect: race
// The sums are left in C, and read again through the read-only cache, which need not see them.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    float *const c = &p.c[(size_t)row * p.n + column];
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    *c = sum;
    *c = p.alpha * 2.0f * __ldg(c) - *c * p.alpha; // BUG
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"read_only_cache_of_c", launch});
