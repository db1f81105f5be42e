// expect: race
// run: step01 -m 17 -n 17 -k 96 --beta 0.5
// says: who reads while others add
// Thirds of k by three blocks that add to C; each looks at the old C, and the first one scales it.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int third = (p.k - 1) / 3 + 1, from = blockIdx.y * third;
    float *const c = &p.c[blockIdx.x * p.n + threadIdx.x];
    float sum = 0.0f;
    for (int i = from; i < from + third && i < p.k; i++)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    const float old = p.beta == 0.0f ? 0.0f : *c;
    atomicAdd(c, p.alpha * sum + (blockIdx.y == 0 ? (p.beta - 1.0f) * old : 0.0f)); // BUG
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3(p->m, 3), p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"adds_while_read", launch});
