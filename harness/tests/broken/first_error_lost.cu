// expect: launch_error
// run: step01 -m 33
// says: launch 1 of 2: a block of (33, 1, 128)
// The first of two launches is refused, but the launch function does not ask.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, float *sums)
{
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    sums[blockIdx.x * p.n + threadIdx.x] = sum;
}

static __global__ void scale(const struct lab_gemm p, const float *sums)
{
    const int e = blockIdx.x * p.n + threadIdx.x;
    p.c[e] = p.alpha * sums[e] + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)p->m * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, dim3(p->n, 1, 128), 0, stream>>>(*p, (float *)p->workspace);
    scale<<<p->m, p->n, 0, stream>>>(*p, (const float *)p->workspace);
    return cudaSuccess;
}

LAB_EXPORT(gemm, {"first_error_lost", launch, workspace});
