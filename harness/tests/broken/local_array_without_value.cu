// expect: uninitialized
// Sums in an array that is indexed at run time, so in local memory; element 7 is never cleared.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sums[8], total = 0.0f;
    if (column >= p.n)
        return;
    for (int j = 0; j < 7; j++)
        sums[j] = 0.0f;
    for (int i = 0; i < p.k; i++)
        sums[(i + p.m) % 8] += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column]; // BUG
    for (int j = 0; j < 8; j++)
        total += sums[(j + p.m) % 8];
    p.c[(size_t)row * p.n + column] = p.alpha * total;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"local_array_without_value", launch});
