// expect: wrong
// says: suggest precision
// says not: look at the index
// says not: indices
// The operands are rounded to bfloat16.
#include "families/gemm.h"

#include <cuda_bf16.h>

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float total = 0.0f;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        total += __bfloat162float(__float2bfloat16(p.a[(size_t)row * p.k + i])) *
                 __bfloat162float(__float2bfloat16(p.b[(size_t)i * p.n + column]));
    float *const c = &p.c[(size_t)row * p.n + column];
    const float sum = total;
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"operands_in_bfloat16", launch});
