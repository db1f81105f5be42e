// run: step01
// A block of one thread for each element, in a grid of three dimensions.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = (int)(blockIdx.y + gridDim.y * blockIdx.z), column = (int)blockIdx.x;
    __shared__ float sum;
    if (row >= p.m)
        return;
    sum = 0.0f;
    __syncthreads();
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    float *c = &p.c[(size_t)row * p.n + column];
    *c = p.alpha * sum + (p.beta != 0.0f ? p.beta * *c : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned rows = p->m < 1000 ? p->m : 1000;
    gemm<<<dim3(p->n, rows, (p->m - 1) / rows + 1), 1, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"one_thread", launch});
