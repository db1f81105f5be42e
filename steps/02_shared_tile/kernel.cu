// Step 02: a block keeps a piece of its operands in shared memory. Blocks are one-dimensional: a
// block computes a tile of C, 8 rows by 64 columns, and each of its 64 threads one column of it.
#include "families/gemm.h"

constexpr int TILE_M = 8;     // rows of C per block
constexpr int TILE_N = 64;    // columns of C per block
constexpr int TILE_K = 8;     // length of the piece of A's rows and B's columns held at a time
constexpr int BLOCK = TILE_N; // threads in a block: one per column of the tile
static_assert(BLOCK % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");
static_assert(TILE_M * TILE_K % BLOCK == 0, "all threads load equally many elements of A");

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// Element (row, col) of a row-major matrix, 0 outside it: zeros add nothing to a sum, so a tile
// that hangs over an edge needs no other care. Offsets are size_t: rows * cols may pass 2^31.
static __device__ __forceinline__ float at(const float *__restrict__ x, int rows, int cols, int row,
                                           int col)
{
    return row < rows && col < cols ? x[(size_t)row * cols + col] : 0.0f;
}

// Only A's piece is shared. All 64 threads read the same element of it at a time: one broadcast in
// place of one load per thread and row. Each thread reads its own column of B, once, for 8 rows.
static __global__ void gemm_shared_a(int m, int n, int k, float alpha, const float *__restrict__ a,
                                     const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ float a_tile[TILE_M][TILE_K]; // (TILE_M, TILE_K)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int col = (int)blockIdx.x % tiles_across * TILE_N + (int)threadIdx.x;

    float sum[TILE_M] = {}; // this thread's column of the tile
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
#pragma unroll
        for (int i = threadIdx.x % BLOCK; i < TILE_M * TILE_K; i += BLOCK)
            a_tile[i / TILE_K][i % TILE_K] =
                at(a, m, k, first_row + i / TILE_K, first_k + i % TILE_K);
        __syncthreads(); // the tile was written by all: complete before anyone reads it
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            const float b_value = at(b, k, n, first_k + i, col);
            for (int row = 0; row < TILE_M; ++row)
                sum[row] += a_tile[row][i] * b_value;
        }
        __syncthreads(); // all have read the tile: only now may the next piece overwrite it
    }
    for (int row = 0; row < TILE_M; ++row)
        if (first_row + row < m && col < n)
            store(&c[(size_t)(first_row + row) * n + col], sum[row], alpha, beta);
}

// B's piece is shared too. It buys little: with one-dimensional blocks each thread reads back only
// the column that it wrote itself. Nothing of B is shared between threads, it only takes a detour.
static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ float a_tile[TILE_M][TILE_K]; // (TILE_M, TILE_K)
    __shared__ float b_tile[TILE_K][TILE_N]; // (TILE_K, TILE_N)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int col = (int)blockIdx.x % tiles_across * TILE_N + (int)threadIdx.x;

    float sum[TILE_M] = {}; // this thread's column of the tile
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
#pragma unroll
        for (int i = threadIdx.x % BLOCK; i < TILE_M * TILE_K; i += BLOCK)
            a_tile[i / TILE_K][i % TILE_K] =
                at(a, m, k, first_row + i / TILE_K, first_k + i % TILE_K);
        for (int i = 0; i < TILE_K; ++i)
            b_tile[i][threadIdx.x] = at(b, k, n, first_k + i, col);
        __syncthreads(); // the tiles were written by all: complete before anyone reads them
#pragma unroll
        for (int i = 0; i < TILE_K; ++i)
            for (int row = 0; row < TILE_M; ++row)
                sum[row] += a_tile[row][i] * b_tile[i][threadIdx.x];
        __syncthreads(); // all have read the tiles: only now may the next piece overwrite them
    }
    for (int row = 0; row < TILE_M; ++row)
        if (first_row + row < m && col < n)
            store(&c[(size_t)(first_row + row) * n + col], sum[row], alpha, beta);
}

// The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall matrix.
static unsigned blocks(const struct lab_gemm *p)
{
    return (unsigned)(((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1));
}

static cudaError_t launch_shared_a(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm_shared_a<<<blocks(p), BLOCK, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                   p->c);
    return cudaGetLastError();
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<blocks(p), BLOCK, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"shared_a", launch_shared_a}, {"shared_ab", launch});
