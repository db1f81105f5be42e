// expect: race
// The barrier orders the tiles, but not the bytes that say which rows are there.
#include "families/gemm.h"

enum { TILE = 16 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    __shared__ unsigned char is_there[TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;

    for (int start = 0; start < k; start += TILE) {
        if (x == 0)
            is_there[y] = start + y < k;
        tile_a[y][x] = row < m && start + x < k ? a[(size_t)row * k + start + x] : 0.0f;
        tile_b[y][x] = is_there[x] && start + x < k && blockIdx.x * TILE + y < n // BUG
                           ? b[(size_t)(start + x) * n + blockIdx.x * TILE + y]
                           : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[x][i];
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

LAB_EXPORT(gemm, {"bytes_without_barrier", launch});
