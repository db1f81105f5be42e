// Stage 05.1: each thread computes 8 rows of C in one column and keeps their sums in registers. An
// element of B read from shared memory serves 8 multiply-adds instead of one. And the tile of A,
// transposed in step 04, now pays: a thread's 8 elements of it are neighbours, two reads of 16
// bytes.
#include "families/gemm.h"

constexpr int VALUES = 8;  // rows of C per thread
constexpr int TILE_M = 64; // rows of C per block
constexpr int TILE_N = 64; // columns of C per block: one per thread across
constexpr int TILE_K = 8;  // a short panel: the tiles stay small, the sums are elsewhere
constexpr int PAD = 4;     // a warp stores 8 k of 4 rows (in step 04: 32 k of 1 row)
static_assert(TILE_M == VALUES * TILE_K, "TILE_K threads down load a row of b_tile each");
static_assert(TILE_M == TILE_N, "each thread loads one element of A and one of B");
static_assert(32 % TILE_K == 0 && PAD == 32 / TILE_K, "transposed stores of a warp: all banks");

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

// A block has TILE_N threads across and TILE_M / VALUES down, 512. All lanes of a warp read the
// same elements of a_tile, a broadcast, and neighbouring ones of b_tile, 32 banks.
static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ __align__(16) float a_tile[TILE_K][TILE_M + PAD]; // (k, rows of C)
    __shared__ float b_tile[TILE_K][TILE_N];                     // (k, columns of C)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int tx = threadIdx.x; // along columns: a warp's loads and stores lie side by side
    const int ty = threadIdx.y;
    const int thread = ty * TILE_N + tx;
    // What it loads. Of A a warp takes 8 k of 4 rows, whole sectors, and stores them transposed to
    // bank (a_k * (TILE_M + 4) + a_row) % 32 = 4 a_k + a_row: 32 banks. Of B it takes one k.
    const int a_k = thread % TILE_K;
    const int a_row = thread / TILE_K;

    float sum[VALUES] = {}; // in registers: every index below is known when compiling
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
        a_tile[a_k][a_row] = at(a, m, k, first_row + a_row, first_k + a_k);
        b_tile[ty][tx] = at(b, k, n, first_k + ty, first_col + tx);
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE_K; ++i)
#pragma unroll
            for (int r = 0; r < VALUES; ++r)
                sum[r] += a_tile[i][ty * VALUES + r] * b_tile[i][tx];
        __syncthreads(); // all have read the tiles: only now may the next panel overwrite them
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r) {
        const int row = first_row + ty * VALUES + r;
        const int col = first_col + tx;
        if (row < m && col < n)
            store(&c[(size_t)row * n + col], sum[r], alpha, beta);
    }
}

// The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall matrix.
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    gemm<<<blocks, dim3(TILE_N, TILE_M / VALUES), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a,
                                                               p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"column", launch});
