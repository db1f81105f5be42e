// run: step01
// A kernel allocates a row of factors, another one uses it, and a third one gives it back. Two more
// bytes are allocated by the first launch of all and kept for good.
#include "families/gemm.h"

__device__ float *factors;
__device__ char *kept;

static __global__ void allocate(float alpha, float beta)
{
    factors = (float *)malloc(2 * sizeof(float));
    factors[0] = alpha;
    factors[1] = beta;
    if (!kept)
        kept = (char *)malloc(2);
}

static __global__ void gemm(const struct lab_gemm p)
{
    const long long at = (long long)blockIdx.x * 64 + threadIdx.x;
    if (at >= (long long)p.m * p.n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += p.a[at / p.n * p.k + i] * p.b[(size_t)i * p.n + at % p.n];
    p.c[at] = factors[1] == 0.0f ? factors[0] * sum : factors[0] * sum + factors[1] * p.c[at];
}

static __global__ void give_back()
{
    free(factors);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    allocate<<<1, 1, 0, stream>>>(p->alpha, p->beta);
    gemm<<<(unsigned)(((long long)p->m * p->n - 1) / 64 + 1), 64, 0, stream>>>(*p);
    give_back<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"heap_freed_by_the_next_kernel", launch});
