// Stage 02.1: a block keeps a piece of A in shared memory. Blocks are one-dimensional: 256 threads
// compute a tile of C, 8 rows by 32 columns, one element each. An element of A is read from global
// memory once for the 32 columns of the tile, no longer once for every multiply-add of a warp.
#include "families/gemm.h"

constexpr int TILE_M = 8;              // rows of C per block
constexpr int TILE_N = 32;             // columns of C per block: a warp takes a row of the tile
constexpr int TILE_K = 32;             // length of the piece of A's rows held at a time
constexpr int BLOCK = TILE_M * TILE_N; // threads in a block: one for each element of the tile
static_assert(BLOCK % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");
static_assert(TILE_K == TILE_N, "each thread loads one element of A");

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

// All lanes of a warp have one row of the tile, and multiply by the same element of A at a time:
// one wavefront of shared memory, broadcast. B stays where it was, 4 sectors for each warp
// instruction.
static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ float a_tile[TILE_M][TILE_K]; // (rows of C, k)
    const int tiles_across = (n - 1) / TILE_N + 1;
    // tx goes along columns: a warp's loads and stores lie side by side.
    const int tx = (int)threadIdx.x % TILE_N;
    const int ty = (int)threadIdx.x / TILE_N;
    const int row = (int)blockIdx.x / tiles_across * TILE_M + ty;
    const int col = (int)blockIdx.x % tiles_across * TILE_N + tx;
    const int b_col = min(col, n - 1); // past the edge it helps with A's tile, and stores nothing

    float sum = 0.0f;
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
        a_tile[ty][tx] = at(a, m, k, row, first_k + tx);
        __syncthreads(); // all threads have written the tile
        const float *b_from = b + (size_t)first_k * n + b_col;
        if (first_k + TILE_K <= k) {
            // The compiler knows how many iterations: unrolled, many loads go out at once.
#pragma unroll
            for (int i = 0; i < TILE_K; ++i)
                sum += a_tile[ty][i] * b_from[(size_t)i * n];
        } else {
            for (int i = 0; i < k - first_k; ++i)
                sum += a_tile[ty][i] * b_from[(size_t)i * n];
        }
        __syncthreads(); // all have read the tile: only now may the next piece overwrite it
    }
    if (row < m && col < n)
        store(&c[(size_t)row * n + col], sum, alpha, beta);
}

// The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall matrix.
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    gemm<<<blocks, BLOCK, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"shared_a", launch});
