// expect: wrong
// run: step01 -m 17 -n 17 -k 96
// says: in any order
// Says that it gives the same bits every time; eight blocks add their parts to an element of C.
#include "families/gemm.h"

static __global__ void clear(float beta, float *c)
{
    float *const at = &c[blockIdx.x * blockDim.x + threadIdx.x];
    *at = beta == 0.0f ? 0.0f : beta * *at;
}

static __global__ void gemm(const struct lab_gemm p)
{
    float sum = 0.0f;
    for (int i = blockIdx.y; i < p.k; i += gridDim.y)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    atomicAdd(&p.c[blockIdx.x * p.n + threadIdx.x], p.alpha * sum); // BUG
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    clear<<<p->m, p->n, 0, stream>>>(p->beta, p->c);
    gemm<<<dim3(p->m, 8), p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"sums_of_blocks", launch, NULL, LAB_REPEATABLE});
