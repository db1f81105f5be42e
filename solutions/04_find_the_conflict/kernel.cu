// Exercise 04: a right kernel in which some accesses to shared memory collide in the banks. Find
// them with `./run exercise04 --lines`, and remove them.
#include "families/gemm.h"

constexpr int TILE = 32;          // a block computes TILE x TILE elements of C
constexpr int ROWS = 8;           // and has TILE x ROWS threads,
constexpr int EACH = TILE / ROWS; // each of which computes EACH elements of one column

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
    // BEGIN SOLUTION: change what --lines shows to collide: how a tile lies here, or where it is used
    __shared__ float a_tile[TILE][TILE];     // (rows of C, k)
    __shared__ float b_tile[TILE][TILE + 1]; // (columns of C, k); 1 more: columns lie in all banks
    //| __shared__ float a_tile[TILE][TILE]; // (rows of C, k)
    //| __shared__ float b_tile[TILE][TILE]; // (columns of C, k)
    // END SOLUTION
    const int tiles_across = (n - 1) / TILE + 1;
    const int tx = threadIdx.x; // along columns: a warp's loads and stores lie side by side
    const int ty = threadIdx.y;
    const int first_row = (int)blockIdx.x / tiles_across * TILE;
    const int col = (int)blockIdx.x % tiles_across * TILE + tx;

    float sum[EACH] = {};
    for (int first_k = 0; first_k < k; first_k += TILE) {
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const int y = ty + e * ROWS;
            a_tile[y][tx] = at(a, m, k, first_row + y, first_k + tx);
            b_tile[tx][y] = at(b, k, n, first_k + y, col);
        }
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            for (int e = 0; e < EACH; ++e)
                sum[e] += a_tile[ty + e * ROWS][i] * b_tile[tx][i];
        __syncthreads(); // all have read the tiles: only now may the next piece overwrite them
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int row = first_row + ty + e * ROWS;
        if (row < m && col < n)
            store(&c[(size_t)row * n + col], sum[e], alpha, beta);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, dim3(TILE, ROWS), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                  p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"conflict_free", launch});
