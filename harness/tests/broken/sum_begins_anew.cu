// expect: wrong
// run: step01 -m 33
// says: the sum has the last of 33 products alone
// Each product takes the place of the sum.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.x;
    for (int col = threadIdx.x; col < p.n; col += blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum = p.a[row * p.k + i] * p.b[i * p.n + col];
        float *const to = &p.c[row * p.n + col];
        *to = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *to;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"sum_begins_anew", launch});
