// Stage 12.5: both operands transposed, as (B A)'. Of matrices as they are stored that is a product
// in which nothing is transposed, of n x m values: what stage 12.2 computes. Only its result must
// be transposed, and that is free: a thread has 16 values of a column, neighbours in a row of C.
#include "families/gemm.h"
#include "tile/epilogue.h"
#include "tile/global.h"

// The kernel's own names are those of C' = B A: its a is B, its m is n.
constexpr int TILE_M = 16; // columns of C per block, all of them in each thread
constexpr int TILE_N = 64; // rows of C per block: one per thread
constexpr int TILE_K = 16;
constexpr int PAD = 2; // rows of 18: transposed stores of a warp, 16 k by 2 rows, reach all banks
constexpr int LOADS = TILE_M * TILE_K / TILE_N; // elements of A that a thread loads
static_assert(TILE_N % TILE_K == 0, "threads lie in rows of TILE_K where they load A");

// Writes 16 neighbours in a row of C, of which `count` exist; as vectors where rows of C begin on
// 16 bytes.
static __device__ __forceinline__ void store_run(float *__restrict__ c, int count, bool is_aligned,
                                                 const float (&sum)[TILE_M], float alpha,
                                                 float beta)
{
    if (is_aligned && count >= TILE_M) {
#pragma unroll
        for (int i = 0; i < TILE_M; i += 4) {
            float4 value = beta == 0.0f ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : *(float4 *)&c[i];
            tile_store(&value.x, sum[i + 0], alpha, beta);
            tile_store(&value.y, sum[i + 1], alpha, beta);
            tile_store(&value.z, sum[i + 2], alpha, beta);
            tile_store(&value.w, sum[i + 3], alpha, beta);
            *(float4 *)&c[i] = value;
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < TILE_M; ++i)
        if (i < count)
            tile_store(&c[i], sum[i], alpha, beta);
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            long long row_a, const float *__restrict__ b, long long row_b,
                            float beta, float *__restrict__ c, long long row_c)
{
    __shared__ float a_tile[TILE_K][TILE_M + PAD]; // (k, columns of C)
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
    if (col < n)
        store_run(&c[col * row_c + first_row], m - first_row, row_c % 4 == 0, sum, alpha, beta);
}

// The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall matrix.
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->n - 1) / TILE_M + 1) * ((p->m - 1) / TILE_N + 1);
    gemm<<<blocks, TILE_N, 0, stream>>>(p->n, p->m, p->k, p->alpha, p->b, p->row_b, p->a, p->row_a,
                                        p->beta, p->c, p->row_c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"tt_swapped", launch, NULL, LAB_GEMM_TT});
