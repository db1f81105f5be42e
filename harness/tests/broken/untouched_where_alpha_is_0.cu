// expect: wrong
// run: step01 -m 17 -n 17 -k 5 --alpha 0 --beta 0.5
// says: what C held before
// Nothing to add, nothing to store, thinks the kernel: beta counts all the same.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    float *c = &p.c[blockIdx.x * p.n + threadIdx.x];
    if (p.alpha != 0.0f)
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"untouched_where_alpha_is_0", launch});
