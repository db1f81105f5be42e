// expect: divergent_barrier
// The barrier of the warp stands where only half of its lanes come.
#include "families/gemm.h"

enum { WARPS = 4 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float partial[WARPS][32];
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int row = blockIdx.y, column = blockIdx.x * WARPS + warp;
    float sum = 0.0f;
    for (int i = lane; i < k && column < n; i += 32)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    partial[warp][lane] = sum;
    __syncwarp();
    for (int step = 16; step > 0; step /= 2)
        if (lane < step) {
            partial[warp][lane] += partial[warp][lane + step];
            __syncwarp(); // BUG
        }
    __syncthreads();
    if (lane == 0 && column < n)
        c[(size_t)row * n + column] =
            beta == 0.0f ? alpha * partial[warp][0]
                         : alpha * partial[warp][0] + beta * c[(size_t)row * n + column];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + WARPS - 1) / WARPS, p->m), dim3(32, WARPS), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"syncwarp_in_branch", launch});
