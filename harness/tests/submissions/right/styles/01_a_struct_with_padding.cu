// expect: ok
// Parameters in a struct of its own, whose padding is given no value: on the host's stack it holds
// what was there before, which may differ from one call to the next.
#include "families/gemm.h"

#include <cuda_runtime.h>

struct parameters {
    int m, n, k;
    float alpha, beta; // 4 bytes of padding follow
    const float *a, *b;
    float *c;
    bool scales; // and 7 here
};

static __global__ void gemm(const struct parameters p)
{
    const size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= (size_t)p.m * p.n)
        return;
    const int row = (int)(element / p.n);
    const int col = (int)(element % p.n);
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        sum += p.a[(size_t)i * p.m + row] * p.b[(size_t)i * p.n + col];
    p.c[element] = p.scales ? p.alpha * sum + p.beta * p.c[element] : p.alpha * sum;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    struct parameters all = {p->m, p->n, p->k, p->alpha, p->beta, p->a, p->b, p->c, p->beta != 0};
    cudaFuncSetCacheConfig(gemm, cudaFuncCachePreferL1);
    gemm<<<(unsigned)(((size_t)p->m * p->n + 255) / 256), 256, 0, stream>>>(all);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
