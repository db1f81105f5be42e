// expect: ok
// The whole struct as a kernel parameter.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < (size_t)p.m * p.n;
         e += (size_t)gridDim.x * blockDim.x) {
        const size_t row = e / p.n, col = e % p.n;
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum = fmaf(p.a[row * p.k + i], p.b[(size_t)i * p.n + col], sum);
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<17, 96, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"grid_stride", launch});
