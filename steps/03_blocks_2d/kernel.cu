// Step 03: two-dimensional blocks, and tiles as high as they are wide. A tile of A serves every
// column of the block and a tile of B every row: with 32 x 32 threads an element is read from
// global memory once for 32 multiply-adds, where step 02 read an element of B once for 8.
#include "families/gemm.h"

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

// TILE x TILE threads, each loads one element of A's tile and one of B's, then uses TILE of either.
// A block reads 2 / TILE elements from global memory for a multiply-add: a larger block reads less.
template <int TILE>
static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    static_assert(TILE * TILE % 32 == 0 && TILE * TILE <= 1024, "whole warps, and a legal block");
    __shared__ float a_tile[TILE][TILE]; // (rows of C, k)
    __shared__ float b_tile[TILE][TILE]; // (k, columns of C)
    const int tiles_across = (n - 1) / TILE + 1;
    const int tx = threadIdx.x; // along columns: a warp's loads and stores lie side by side
    const int ty = threadIdx.y;
    const int row = (int)blockIdx.x / tiles_across * TILE + ty;
    const int col = (int)blockIdx.x % tiles_across * TILE + tx;

    float sum = 0.0f;
    for (int first_k = 0; first_k < k; first_k += TILE) {
        a_tile[ty][tx] = at(a, m, k, row, first_k + tx);
        b_tile[ty][tx] = at(b, k, n, first_k + ty, col);
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads(); // all have read the tiles: only now may the next piece overwrite them
    }
    if (row < m && col < n)
        store(&c[(size_t)row * n + col], sum, alpha, beta);
}

// The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall matrix.
template <int TILE> static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<TILE><<<blocks, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                        p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"block_16x16", launch<16>}, {"block_32x32", launch<32>});
