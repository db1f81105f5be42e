// Exercise 02: step 02's tile is 8 rows by 32 columns. Here it is 16 by 128, with pieces 16 long.
// Each of the 128 threads computes one column: an element of B, once read, serves 16 rows.
#include "families/gemm.h"

constexpr int TILE_M = 16;    // rows of C per block
constexpr int TILE_N = 128;   // columns of C per block
constexpr int TILE_K = 16;    // length of the piece of A's rows held at a time
constexpr int BLOCK = TILE_N; // threads in a block: one per column of the tile

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

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ float a_tile[TILE_M][TILE_K]; // (rows of C, k)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int col = (int)blockIdx.x % tiles_across * TILE_N + (int)threadIdx.x;

    float sum[TILE_M] = {}; // this thread's column of the tile
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
        // BEGIN SOLUTION: all threads together fill a_tile; how many elements does each load?
        for (int i = threadIdx.x; i < TILE_M * TILE_K; i += BLOCK)
            a_tile[i / TILE_K][i % TILE_K] =
                at(a, m, k, first_row + i / TILE_K, first_k + i % TILE_K);
        //| a_tile[threadIdx.x / TILE_K][threadIdx.x % TILE_K] = at(a, m, k, first_row, first_k);
        //| a_tile[threadIdx.x / TILE_K + TILE_M / 2][threadIdx.x % TILE_K] = 0.0f;
        // END SOLUTION
        __syncthreads(); // all threads have written the tile
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            // BEGIN SOLUTION: read one element of B, and use it for every row of the tile
            const float b_value = at(b, k, n, first_k + i, col);
            for (int row = 0; row < TILE_M; ++row)
                sum[row] += a_tile[row][i] * b_value;
            //| sum[i] += a_tile[i][0];
            // END SOLUTION
        }
        __syncthreads(); // all have read the tile: only now may the next piece overwrite it
    }
    for (int row = 0; row < TILE_M; ++row)
        if (first_row + row < m && col < n)
            store(&c[(size_t)(first_row + row) * n + col], sum[row], alpha, beta);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    gemm<<<blocks, BLOCK, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"tile_16x128", launch});
