// expect: launch_error
// Right, but for a row of blocks to each row of C: a grid has no more than 65535.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const size_t row = blockIdx.y, col = (size_t)blockIdx.x * 4 + threadIdx.x / 32;
    if (col >= (size_t)p.n)
        return;
    const size_t e = row * p.n + col;
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < p.k; i += 32)
        sum += p.a[row * p.k + i] * p.b[(size_t)i * p.n + col];
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
    if (threadIdx.x % 32 == 0)
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 3) / 4, p->m), 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"rows", launch});
