// expect: ok
// Every thread prints in each turn of the loop, where the speed is modelled.
#include "families/gemm.h"

constexpr int SIDE = 16;            // a block has SIDE x SIDE threads,
constexpr int VALUES = 4;           // each of which computes VALUES x VALUES elements
constexpr int TILE = SIDE * VALUES; // of C
constexpr int TILE_K = 16;

static __device__ __forceinline__ float at(const float *__restrict__ x, int rows, int cols, int row,
                                           int col)
{
    return row < rows && col < cols ? x[(size_t)row * cols + col] : 0.0f;
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ float a_tile[TILE_K][TILE + 1]; // (k, rows of C)
    __shared__ float b_tile[TILE_K][TILE];     // (k, columns of C)
    const int tiles_across = (n - 1) / TILE + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE;
    const int first_col = (int)blockIdx.x % tiles_across * TILE;
    const int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;

    float sum[VALUES][VALUES] = {};
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
#pragma unroll
        for (int i = threadIdx.x; i < TILE * TILE_K; i += SIDE * SIDE) {
            a_tile[i % TILE_K][i / TILE_K] =
                at(a, m, k, first_row + i / TILE_K, first_k + i % TILE_K);
            b_tile[i / TILE][i % TILE] = at(b, k, n, first_k + i / TILE, first_col + i % TILE);
        }
        printf("(%d, %d) at %d: %s %f\n", ty, tx, first_k, "so far", sum[0][0]);
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE_K; ++i)
#pragma unroll
            for (int r = 0; r < VALUES; ++r)
#pragma unroll
                for (int q = 0; q < VALUES; ++q)
                    sum[r][q] += a_tile[i][ty + r * SIDE] * b_tile[i][tx + q * SIDE];
        __syncthreads(); // all have read the tiles: only now may the next panel overwrite them
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q) {
            const int row = first_row + ty + r * SIDE, col = first_col + tx + q * SIDE;
            if (row < m && col < n) {
                float *to = &c[(size_t)row * n + col];
                *to = beta == 0.0f ? alpha * sum[r][q] : alpha * sum[r][q] + beta * *to;
            }
        }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, SIDE * SIDE, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"fast", launch});
