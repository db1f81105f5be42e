// expect: unwritten
// run: step01 -m 33 -n 70 -k 9
// The warp's number on its SM is taken for that in its block: with no other block there it is.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    unsigned warp;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    const int row = blockIdx.y, column = blockIdx.x * 64 + warp * 32 + threadIdx.x % 32;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"warp_of_the_hardware", launch});
