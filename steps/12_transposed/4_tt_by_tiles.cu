// Stage 12.4: both operands transposed, by tiles that are transposed. A tile of B, too, goes
// through shared memory: lanes load neighbours of a row of B as it is stored, and store them in a
// column of the tile. A, transposed, lies in memory as its tile does: it is no longer transposed.
#include "families/gemm.h"
#include "tile/epilogue.h"
#include "tile/global.h"

constexpr int TILE_M = 16; // rows of C per block, all of them in each thread
constexpr int TILE_N = 64; // columns of C per block: one per thread
constexpr int TILE_K = 16;
constexpr int PAD = 2; // rows of b_tile: transposed stores of a warp, 16 k by 2, meet no bank twice
constexpr int ACROSS = TILE_N / TILE_K; // rows of TILE_K threads, as they load
static_assert(TILE_N % TILE_K == 0, "threads lie in rows of TILE_K where they load");
static_assert(TILE_M == TILE_K, "and such a row loads a row of A's tile");

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            long long row_a, const float *__restrict__ b, long long row_b,
                            float beta, float *__restrict__ c, long long row_c)
{
    __shared__ float a_tile[TILE_K][TILE_M];       // (k, rows of C)
    __shared__ float b_tile[TILE_K][TILE_N + PAD]; // (k, columns of C)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int thread = threadIdx.x;
    const int col = first_col + thread;
    // What it loads: of A a warp takes 16 rows of 2 k; of B 16 k of 2 columns, which it stores
    // transposed, to bank (66 along + across) % 32.
    const int along = thread % TILE_K;
    const int across = thread / TILE_K;

    float sum[TILE_M] = {}; // in registers: every index below is known when compiling
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
#pragma unroll
        for (int i = across; i < TILE_K; i += ACROSS)
            a_tile[i][along] = tile_at(a, k, m, row_a, first_k + i, first_row + along);
#pragma unroll
        for (int i = across; i < TILE_N; i += ACROSS)
            b_tile[along][i] = tile_at(b, n, k, row_b, first_col + i, first_k + along);
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            const float b_value = b_tile[i][thread];
#pragma unroll
            for (int r = 0; r < TILE_M; ++r)
                sum[r] += a_tile[i][r] * b_value;
        }
        __syncthreads(); // all have read the tiles: only now may the next ones overwrite them
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

LAB_EXPORT(gemm, {"tt_by_tiles", launch, NULL, LAB_GEMM_TT});
