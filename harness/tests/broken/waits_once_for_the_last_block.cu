// expect: timeout
// run: step01 -m 9 -n 5 -k 3
// says: a plain read is made once, before it
// The first block waits for the last one, through a plain variable.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, int *last_is_here)
{
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        *last_is_here = 1;
    if (blockIdx.x == 0)
        while (*last_is_here == 0) // BUG
            ;
    const size_t at = (size_t)blockIdx.x * p.n + threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    p.c[at] = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * p.c[at];
}

static size_t workspace(const struct lab_gemm *)
{
    return sizeof(int);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(int), stream);
    gemm<<<p->m, p->n, 0, stream>>>(*p, (int *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"waits_once_for_the_last_block", launch, workspace});
