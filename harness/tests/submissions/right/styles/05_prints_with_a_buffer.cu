// expect: ok
// A line for debugging in a tuned kernel: its values go through a buffer in local memory.
#include "families/gemm.h"

constexpr int ROWS = 4;               // rows of C per thread
constexpr int COLS = 16;              // columns of C per thread
constexpr int SIDE_Y = 16;            // a block has 16 threads down
constexpr int SIDE_X = 8;             // and 8 across
constexpr int THREADS = 128;          // SIDE_Y * SIDE_X
constexpr int TILE_M = SIDE_Y * ROWS; // 64
constexpr int TILE_N = SIDE_X * COLS; // 128
constexpr int TILE_K = 8;

static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

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
    __shared__ float a_tile[TILE_K][TILE_M + 4]; // (k, rows of C); 4 more: stores in all banks
    __shared__ float b_tile[TILE_K][TILE_N];     // (k, columns of C)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int thread = ty * SIDE_X + tx;

    if (blockIdx.x == 0 && thread == 0)
        printf("tiles_across = %d, first_row = %d, k = %d, alpha = %f\n", tiles_across, first_row,
               k, alpha);
    float sum[ROWS][COLS] = {}; // in registers: every index below must be known when compiling
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
#pragma unroll
        for (int i = 0; i < TILE_M * TILE_K / THREADS; ++i) {
            const int row = thread / TILE_K + i * THREADS / TILE_K;
            a_tile[thread % TILE_K][row] = at(a, m, k, first_row + row, first_k + thread % TILE_K);
        }
#pragma unroll
        for (int i = 0; i < TILE_N * TILE_K / THREADS; ++i)
            b_tile[i][thread] = at(b, k, n, first_k + i, first_col + thread);
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            float a_value[ROWS], b_value[COLS];
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
                a_value[r] = a_tile[i][ty * ROWS + r];
#pragma unroll
            for (int q = 0; q < COLS; ++q)
                b_value[q] = b_tile[i][tx + q * SIDE_X];
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
#pragma unroll
                for (int q = 0; q < COLS; ++q)
                    sum[r][q] += a_value[r] * b_value[q];
        }
        __syncthreads(); // all have read the tiles: only now may the next panel overwrite them
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int q = 0; q < COLS; ++q) {
            const int row = first_row + ty * ROWS + r;
            const int col = first_col + tx + q * SIDE_X;
            if (row < m && col < n)
                store(&c[(size_t)row * n + col], sum[r][q], alpha, beta);
        }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    gemm<<<blocks, dim3(SIDE_X, SIDE_Y), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                      p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"values_4x16", launch});
