// expect: forbidden
// run: step01 -m 17
// says: calls printf(), which prints
// A line that was left in: how many blocks there are.
#include "families/gemm.h"

#include <stdio.h>

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = (int)blockIdx.x, col = (int)threadIdx.x;
    for (int j = col; j < p.n; j += (int)blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + j];
        float *const c = &p.c[(size_t)row * p.n + j];
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    printf("%d blocks\n", p->m);
    gemm<<<p->m, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"prints", launch});
