// expect: timeout
// says: a flag that nobody sets
// says not: LAB_SIM_BUDGET
// One block of a cooperative launch waits for a flag, all others for that block.
#include <cooperative_groups.h>

#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, int *flag)
{
    if (blockIdx.x == 3)
        while (atomicAdd(flag, 0) == 0) // BUG
            ;
    cooperative_groups::this_grid().sync();
    const int threads = (int)(gridDim.x * blockDim.x);
    for (int e = (int)(blockIdx.x * blockDim.x + threadIdx.x); e < p.m * p.n; e += threads) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)(e / p.n) * p.k + i] * p.b[(size_t)i * p.n + e % p.n];
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
    }
}

static size_t workspace(const struct lab_gemm *)
{
    return sizeof(int);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    struct lab_gemm problem = *p;
    int *flag = (int *)p->workspace;
    void *arguments[] = {&problem, &flag};
    cudaMemsetAsync(flag, 0, sizeof(int), stream);
    return cudaLaunchCooperativeKernel(gemm, 16, 64, arguments, 0, stream);
}

LAB_EXPORT(gemm, {"waits", launch, workspace});
