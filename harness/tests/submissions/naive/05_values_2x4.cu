// expect: ok
// Wide reads of the tiles, and 8 values of a thread.
#include "families/gemm.h"

constexpr int ROWS = 2, COLS = 4, SIDE_Y = 32, SIDE_X = 32, THREADS = 1024, TILE_M = 64,
              TILE_N = 128, TILE_K = 8;

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// Element (row, col) of a row-major matrix, 0 outside it.
static __device__ __forceinline__ float at(const float *__restrict__ x, int rows, int cols, int row,
                                           int col)
{
    return row < rows && col < cols ? x[(size_t)row * cols + col] : 0.0f;
}

static __global__ __launch_bounds__(THREADS) void gemm(int m, int n, int k, float alpha,
                                                       const float *__restrict__ a,
                                                       const float *__restrict__ b, float beta,
                                                       float *__restrict__ c)
{
    __shared__ __align__(
        16) float a_tile[TILE_K][TILE_M + 4]; // (k, rows of C); 4 more: stores in all banks
    __shared__ __align__(16) float b_tile[TILE_K][TILE_N]; // (k, columns of C)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int thread = threadIdx.y * 32 + threadIdx.x;
    const int w = thread / 32, lane = thread % 32;
    const int ty = w / 8 * 8 + lane / 4, tx = w % 8 * 4 + lane % 4;

    float sum[ROWS][COLS] = {}; // in registers: every index below must be known when compiling
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
#pragma unroll
        for (int e = thread; e < TILE_M * TILE_K; e += THREADS) {
            const int row = e / TILE_K;
            a_tile[thread % TILE_K][row] = at(a, m, k, first_row + row, first_k + thread % TILE_K);
        }
#pragma unroll
        for (int e = thread; e < TILE_N * TILE_K; e += THREADS)
            b_tile[e / TILE_N][e % TILE_N] =
                at(b, k, n, first_k + e / TILE_N, first_col + e % TILE_N);
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            // BEGIN SOLUTION: read 4 values of a_tile and 16 of b_tile, and add their 64 products
            __align__(8) float a_value[ROWS];
            __align__(16) float b_value[COLS];
            *(float2 *)a_value = *(const float2 *)&a_tile[i][ty * 2];
            *(float4 *)b_value = *(const float4 *)&b_tile[i][tx * 4];
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
#pragma unroll
                for (int q = 0; q < COLS; ++q)
                    sum[r][q] += a_value[r] * b_value[q];
            //| sum[0][0] += a_tile[i][ty] * b_tile[i][tx];
            // END SOLUTION
        }
        __syncthreads(); // all have read the tiles: only now may the next panel overwrite them
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int q = 0; q < COLS; ++q) {
            // BEGIN SOLUTION: which element of C is sum[r][q] of this thread?
            const int row = first_row + ty * ROWS + r;
            const int col = first_col + tx * COLS + q;
            //| const int row = first_row + ty;
            //| const int col = first_col + tx;
            // END SOLUTION
            if (row < m && col < n)
                store(&c[(size_t)row * n + col], sum[r][q], alpha, beta);
        }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    gemm<<<blocks, dim3(32, 32), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                              p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"values_4x16", launch});
