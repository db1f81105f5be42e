// expect: wrong
// run: step01 -m 64 -n 64 -k 45
// says: stale tile beyond the edge: 45 is no multiple of 16
// What the last tiles of A and B hold behind k is of the turn before.
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
        if (row < m && start + x < k)
            tile_a[y][x] = a[(size_t)row * k + start + x];
        if (start + y < k && column < n)
            tile_b[y][x] = b[(size_t)(start + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }

    if (row < m && column < n)
        c[(size_t)row * n + column] = alpha * sum;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE), dim3(TILE, TILE), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"stale_tile", launch});
