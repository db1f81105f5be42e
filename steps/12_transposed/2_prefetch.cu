// Stage 12.2: prefetch of B. As soon as an element has been multiplied, the one that takes its
// place in the next iteration is asked for: it comes from memory while the others are multiplied,
// and while the block waits for its tile.
#include "families/gemm.h"
#include "tile/epilogue.h"
#include "tile/global.h"

constexpr int TILE_M = 16; // rows of C per block, all of them in each thread
constexpr int TILE_N = 64; // columns of C per block: one per thread
constexpr int TILE_K = 16;
constexpr int PAD = 2; // rows of 18: transposed stores of a warp, 16 k by 2 rows, reach all banks
constexpr int LOADS = TILE_M * TILE_K / TILE_N; // elements of A that a thread loads
static_assert(TILE_N % TILE_K == 0, "threads lie in rows of TILE_K where they load A");

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            long long row_a, const float *__restrict__ b, long long row_b,
                            float beta, float *__restrict__ c, long long row_c)
{
    __shared__ float a_tile[TILE_K][TILE_M + PAD]; // (k, rows of C)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int thread = threadIdx.x;
    const int col = first_col + thread;
    // What it loads of A: a warp takes 16 k of 2 rows and stores them transposed, to bank
    // (18 a_k + a_row) % 32.
    const int a_k = thread % TILE_K;
    const int a_row = thread / TILE_K;

    float sum[TILE_M] = {}; // in registers: every index below is known when compiling
    float b_value[TILE_K];  // of this iteration, and element by element of the next
#pragma unroll
    for (int i = 0; i < TILE_K; ++i)
        b_value[i] = tile_at(b, k, n, row_b, i, col);
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            const int row = a_row + i * (TILE_N / TILE_K);
            a_tile[a_k][row] = tile_at(a, m, k, row_a, first_row + row, first_k + a_k);
        }
        __syncthreads(); // all threads have written the tile
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
#pragma unroll
            for (int r = 0; r < TILE_M; ++r)
                sum[r] += a_tile[i][r] * b_value[i];
            b_value[i] = tile_at(b, k, n, row_b, first_k + TILE_K + i, col);
        }
        __syncthreads(); // all have read the tile: only now may the next one overwrite it
    }
#pragma unroll
    for (int r = 0; r < TILE_M; ++r)
        if (first_row + r < m && col < n)
            tile_store(&c[(first_row + r) * row_c + col], sum[r], alpha, beta);
}

// The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall matrix.
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    gemm<<<blocks, TILE_N, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->row_a, p->b, p->row_b,
                                        p->beta, p->c, p->row_c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"prefetch", launch, NULL, LAB_GEMM_NN});
