// expect: race
// on a GPU: wrong
// says: leaves it on its way, which __pipeline_wait_prior(1) there would not
// Three buffers: at the wait two groups are on their way, of which one must be there; the third is
// committed behind it.
#include "families/gemm.h"
#include <cuda_pipeline.h>

enum { TILE = 16, BUFFERS = 3 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float tile_a[BUFFERS][TILE][TILE], tile_b[BUFFERS][TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    auto begin = [&](int tile) {
        const int start = tile * TILE, into = tile % BUFFERS;
        const bool a_there = row < m && start + x < k, b_there = start + y < k && column < n;
        __pipeline_memcpy_async(&tile_a[into][y][x], a_there ? &a[(size_t)row * k + start + x] : a,
                                4, a_there ? 0 : 4);
        __pipeline_memcpy_async(&tile_b[into][y][x],
                                b_there ? &b[(size_t)(start + y) * n + column] : b, 4,
                                b_there ? 0 : 4);
        __pipeline_commit();
    };

    begin(0);
    begin(1);
    for (int tile = 0; tile * TILE < k; tile++) {
        __pipeline_wait_prior(2);
        __syncthreads();
        begin(tile + 2);
        for (int i = 0; i < TILE; i++)
            sum += tile_a[tile % BUFFERS][y][i] * tile_b[tile % BUFFERS][i][x]; // BUG
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

LAB_EXPORT(gemm, {"async_copy_counted_too_late", launch});
