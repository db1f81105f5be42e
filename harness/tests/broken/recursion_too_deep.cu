// expect: out_of_bounds
// run: step01 -m 3 -n 40 -k 900
// says: stack overflow
// says: cudaLimitStackSize
// A call for each product: 900 of them take more than the 1024 bytes of stack that a thread has.
#include "families/gemm.h"

static __device__ __noinline__ float sum_from(const struct lab_gemm *p, int row, int column, int i)
{
    if (i == p->k)
        return 0.0f;
    const float product = p->a[(size_t)row * p->k + i] * p->b[(size_t)i * p->n + column];
    return product + sum_from(p, row, column, i + 1); // BUG
}

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    sum = sum_from(&p, row, column, 0);
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"recursion_too_deep", launch});
