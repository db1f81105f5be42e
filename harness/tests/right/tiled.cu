// run: step01
// Tiles of both operands in shared memory, as step 2 has them: what many kernels of ../broken
// change.
#include "families/gemm.h"

enum { TILE = 16 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;

    for (int start = 0; start < k; start += TILE) {
        tile_a[y][x] = row < m && start + x < k ? a[(size_t)row * k + start + x] : 0.0f;
        tile_b[y][x] = start + y < k && column < n ? b[(size_t)(start + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x];
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

LAB_EXPORT(gemm, {"tiled", launch});
