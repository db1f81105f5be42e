// expect: uninitialized
// The sum has no initial value.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column]; // BUG
    p.c[(size_t)row * p.n + column] = p.alpha * sum;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"sum_without_value", launch});
