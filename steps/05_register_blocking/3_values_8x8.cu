// Stage 05.3: 8 x 8 values per thread, 16 reads for 64 multiply-adds, in a tile four times as
// large. The price is registers: fewer threads fit on a multiprocessor, but the kernel is still
// faster.
#include "families/gemm.h"

constexpr int VALUES = 8;             // rows and columns of C per thread
constexpr int SIDE = 16;              // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE;  // 256
constexpr int TILE_M = SIDE * VALUES; // rows of C per block
constexpr int TILE_N = SIDE * VALUES; // columns of C per block
constexpr int TILE_K = 8;             // a short panel: the tiles stay small, the sums are elsewhere
constexpr int PAD = 4;                // a warp stores 8 k of 4 rows (in step 04: 32 k of 1 row)
constexpr int LOADS = TILE_M * TILE_K / THREADS; // elements of each tile that a thread loads
static_assert(TILE_M * TILE_K % THREADS == 0, "all threads load equally many elements");
static_assert(THREADS / 32 == TILE_K, "one warp for each row of b_tile");
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

// Adds the outer product of two fragments, VALUES x VALUES multiply-adds for 2 VALUES loads. Down
// one column, up the next: each shares an operand with the one before it, which the reuse cache
// holds. Registers lie in banks, too, and two reads for a multiply-add in place of three collide
// less.
static __device__ __forceinline__ void outer_product(float (&sum)[VALUES][VALUES],
                                                     const float (&a_fragment)[VALUES],
                                                     const float (&b_fragment)[VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            sum[r][q] += a_fragment[r] * b_fragment[q];
        }
}

// A thread's rows are neighbours, its columns SIDE apart: for each v a half-warp reads neighbouring
// elements of b_tile, and of a_tile all its threads the same ones.
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
    const int thread = ty * SIDE + tx;
    // What it loads. Of A a warp takes 8 k of 4 rows, whole sectors, and stores them transposed to
    // bank (a_k * (TILE_M + 4) + a_row) % 32 = 4 a_k + a_row: 32 banks. Of B it takes one k.
    const int a_k = thread % TILE_K;
    const int a_row = thread / TILE_K;
    const int b_k = thread / 32;
    const int b_col = thread % 32;

    float sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            const int row = a_row + i * THREADS / TILE_K;
            const int col = b_col + i * 32;
            a_tile[a_k][row] = at(a, m, k, first_row + row, first_k + a_k);
            b_tile[b_k][col] = at(b, k, n, first_k + b_k, first_col + col);
        }
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            float a_fragment[VALUES], b_fragment[VALUES];
#pragma unroll
            for (int v = 0; v < VALUES; ++v) {
                a_fragment[v] = a_tile[i][ty * VALUES + v];
                b_fragment[v] = b_tile[i][tx + v * SIDE];
            }
            outer_product(sum, a_fragment, b_fragment);
        }
        __syncthreads(); // all have read the tiles: only now may the next panel overwrite them
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q) {
            const int row = first_row + ty * VALUES + r;
            const int col = first_col + tx + q * SIDE;
            if (row < m && col < n)
                store(&c[(size_t)row * n + col], sum[r][q], alpha, beta);
        }
}

// The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall matrix.
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    gemm<<<blocks, dim3(SIDE, SIDE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                  p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"values_8x8", launch});
