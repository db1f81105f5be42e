// run: step01
// Threads that have nothing to do, or no more, leave before barriers: others need nothing of them.
#include "families/gemm.h"

enum { WARPS = 4 };

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float parts[WARPS][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x;
    const int column = blockIdx.y * 32 + lane;
    if (column >= p.n)
        return;
    float sum = 0.0f;
    for (int i = warp; i < p.k; i += WARPS)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    parts[warp][lane] = sum;
    __syncthreads();
    if (warp >= 2)
        return;
    parts[warp][lane] += parts[warp + 2][lane];
    __syncthreads();
    if (warp >= 1)
        return;
    sum = parts[0][lane] + parts[1][lane];
    float *c = &p.c[(size_t)row * p.n + column];
    *c = p.alpha * sum + (p.beta != 0.0f ? p.beta * *c : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3(p->m, (p->n - 1) / 32 + 1), WARPS * 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"leaves", launch});
