// expect: out_of_bounds
// on a GPU: wrong
// run: step01 -m 17
// says: the first launch was right, the second is not
// The launch function looks at where A is only once.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, const float *a)
{
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x]; // BUG
    float *c = &p.c[blockIdx.x * p.n + threadIdx.x];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    static const float *a;
    if (!a)
        a = p->a;
    gemm<<<p->m, p->n, 0, stream>>>(*p, a);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"pointer_kept", launch});
