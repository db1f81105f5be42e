// expect: race
// says: this read and the asynchronous copy at
// says: a __syncthreads() must stand after the wait for the copy
// says: one before the wait does not
// The barrier tells the others that the copies have begun, and not that they have arrived.
#include "families/gemm.h"
#include <cuda_pipeline.h>

enum { TILE = 16 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;

    for (int start = 0; start < k; start += TILE) {
        const bool a_there = row < m && start + x < k, b_there = start + y < k && column < n;
        __pipeline_memcpy_async(&tile_a[y][x], a_there ? &a[(size_t)row * k + start + x] : a, 4,
                                a_there ? 0 : 4);
        __pipeline_memcpy_async(&tile_b[y][x], b_there ? &b[(size_t)(start + y) * n + column] : b,
                                4, b_there ? 0 : 4);
        __pipeline_commit();
        __syncthreads();
        __pipeline_wait_prior(0);
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x]; // BUG
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

LAB_EXPORT(gemm, {"async_copy_barrier_before_wait", launch});
