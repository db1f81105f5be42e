// expect: out_of_bounds
// run: step01 -m 17
// says: host pointer
// The kernel is given the address of alpha in the host's struct.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, const float *alpha)
{
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    p.c[blockIdx.x * p.n + threadIdx.x] = *alpha * sum; // BUG
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, p->n, 0, stream>>>(*p, &p->alpha);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"factor_on_the_host", launch});
