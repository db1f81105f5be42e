// expect: wrong
// run: step01 -m 65
// Each block draws a number and takes it for its own when it stores: right as long as blocks begin
// one after another.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, unsigned *drawn)
{
    __shared__ unsigned row;
    if (threadIdx.x == 0)
        row = atomicAdd(drawn, 1u);
    __syncthreads();
    for (int col = (int)threadIdx.x; col < p.n; col += (int)blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)blockIdx.x * p.k + i] * p.b[(size_t)i * p.n + col];
        float *const c = &p.c[(size_t)row * p.n + col];
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
    }
}

static size_t workspace(const struct lab_gemm *)
{
    return sizeof(unsigned);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(unsigned), stream);
    gemm<<<p->m, 64, 0, stream>>>(*p, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"ticket", launch, workspace});
