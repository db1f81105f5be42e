// expect: race
// run: step01 -m 33 -n 40 -k 90
// says: so that changes get lost
// Thirds of k by three blocks; each adds its sum by an atomic read and an atomic exchange.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, float *sums)
{
    const int third = (p.k - 1) / 3 + 1, from = blockIdx.y * third;
    float *const to = &sums[blockIdx.x * p.n + threadIdx.x];
    float sum = 0.0f;
    for (int i = from; i < from + third && i < p.k; i++)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    const float before = __int_as_float(atomicAdd((int *)to, 0));
    atomicExch(to, before + sum); // BUG
}

static __global__ void put(const struct lab_gemm p, const float *sums)
{
    float *const c = &p.c[blockIdx.x * p.n + threadIdx.x];
    const float sum = p.alpha * sums[blockIdx.x * p.n + threadIdx.x];
    *c = p.beta == 0.0f ? sum : sum + p.beta * *c;
}

static size_t workspace(const struct lab_gemm *p)
{
    return sizeof(float) * p->m * p->n;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    float *const sums = (float *)p->workspace;
    cudaMemsetAsync(sums, 0, workspace(p), stream);
    gemm<<<dim3(p->m, 3), p->n, 0, stream>>>(*p, sums);
    put<<<p->m, p->n, 0, stream>>>(*p, sums);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"exchange_of_a_sum", launch, workspace});
