// expect: race
// says: leaves it on its way, which __pipeline_wait_prior(1) there would not
// Two groups may still be on their way: also the one that is read.
#include "families/gemm.h"
#include <cuda_pipeline.h>

enum { TILE = 16 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float tile_a[2][TILE][TILE], tile_b[2][TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;

    for (int start = -TILE; start < k; start += TILE) {
        const int next = start + TILE, into = next / TILE % 2;
        const bool a_there = row < m && next + x < k, b_there = next + y < k && column < n;
        __pipeline_memcpy_async(&tile_a[into][y][x], a_there ? &a[(size_t)row * k + next + x] : a,
                                4, a_there ? 0 : 4);
        __pipeline_memcpy_async(&tile_b[into][y][x],
                                b_there ? &b[(size_t)(next + y) * n + column] : b, 4,
                                b_there ? 0 : 4);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        for (int i = 0; i < TILE && start >= 0; i++)
            sum += tile_a[1 - into][y][i] * tile_b[1 - into][i][x]; // BUG
        __syncthreads();
    }

    if (row < m && column < n)
        c[(size_t)row * n + column] =
            beta == 0.0f ? alpha * sum : alpha * sum + beta * c[(size_t)row * n + column];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE), dim3(TILE, TILE), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"async_copy_wait_too_few", launch});
