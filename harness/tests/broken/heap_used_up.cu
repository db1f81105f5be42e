// expect: out_of_bounds
// run: step01 -m 129 -n 129 -k 5
// A kilobyte for each thread, given back by none: the heap has 8 MB, and then malloc() gives NULL.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    float *const mine = (float *)malloc(1024);
    mine[0] = 0.0f; // BUG
    for (int i = 0; i < p.k; i++)
        mine[0] += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    float *c = &p.c[blockIdx.x * p.n + threadIdx.x];
    *c = p.beta == 0.0f ? p.alpha * mine[0] : p.alpha * mine[0] + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"heap_used_up", launch});
