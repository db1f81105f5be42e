// expect: divergent_barrier
// All 32 lanes shuffle, but the mask names 16.
#include "families/gemm.h"

enum { WARPS = 4 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int row = blockIdx.y, column = blockIdx.x * WARPS + warp;
    float sum = 0.0f;
    for (int i = lane; i < k && column < n; i += 32)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffu, sum, step); // BUG
    if (lane == 0 && column < n)
        c[(size_t)row * n + column] =
            beta == 0.0f ? alpha * sum : alpha * sum + beta * c[(size_t)row * n + column];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + WARPS - 1) / WARPS, p->m), dim3(32, WARPS), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"shuffle_mask_too_small", launch});
