// Step 07: 16 bytes per access. A quarter of the load and store instructions, to global and to
// shared memory, leaves the issue slots to the products; the price is care about alignment and
// banks.
#include "step.h"

constexpr int SIDE = 16;             // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE; // 256
constexpr int VALUES = 8;            // rows and columns of C per thread, in two runs of 4
constexpr int TILE_M = SIDE * VALUES;
constexpr int TILE_N = SIDE * VALUES;
constexpr int TILE_K = 8; // a short panel: the tiles stay small, the sums are elsewhere
constexpr int PAD = 4; // see deposit(); a multiple of 4, so that every row of a_tile stays aligned
static_assert(THREADS % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");
static_assert(PAD % 4 == 0 && TILE_M % 32 == 0, "16-byte accesses to every row of a_tile");
static_assert(TILE_M * TILE_K == 4 * THREADS, "one vector of A for each thread");
static_assert(TILE_N * TILE_K == 4 * THREADS, "and one of B");

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

// Elements (row, col .. col + 3), col a multiple of 4. ALIGNED says that cols is one too: then
// every row begins on 16 bytes and a vector lies wholly inside or wholly outside. Else one by one.
template <bool ALIGNED>
static __device__ __forceinline__ float4 at4(const float *__restrict__ x, int rows, int cols,
                                             int row, int col)
{
    if (!ALIGNED)
        return make_float4(at(x, rows, cols, row, col), at(x, rows, cols, row, col + 1),
                           at(x, rows, cols, row, col + 2), at(x, rows, cols, row, col + 3));
    if (row < rows && col < cols)
        return *(const float4 *)&x[(size_t)row * cols + col];
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

// Writes the 4 elements of C that begin at (row, col); those past the end of the row are dropped.
template <bool ALIGNED>
static __device__ __forceinline__ void store4(float *__restrict__ c, int n, int row, int col,
                                              const float *sum, float alpha, float beta)
{
    c += (size_t)row * n + col;
    if (ALIGNED) {
        float4 value = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (beta != 0.0f)
            value = *(const float4 *)c;
        value.x = alpha * sum[0] + beta * value.x;
        value.y = alpha * sum[1] + beta * value.y;
        value.z = alpha * sum[2] + beta * value.z;
        value.w = alpha * sum[3] + beta * value.w;
        *(float4 *)c = value;
    } else {
        for (int i = 0; i < 4 && col + i < n; ++i)
            store(&c[i], sum[i], alpha, beta);
    }
}

// Stores the two vectors to the tiles. A's goes down a column: two neighbouring threads hold the
// two halves of a row of 8, so a warp stores to banks row + {0, 16}, 16 rows: 32 threads, 32 banks.
static __device__ __forceinline__ void deposit(float4 a_next, float4 b_next,
                                               float (&a_tile)[TILE_K][TILE_M + PAD],
                                               float (&b_tile)[TILE_K][TILE_N], int thread)
{
    const int row = thread / 2;
    const int first = thread % 2 * 4;
    a_tile[first + 0][row] = a_next.x;
    a_tile[first + 1][row] = a_next.y;
    a_tile[first + 2][row] = a_next.z;
    a_tile[first + 3][row] = a_next.w;
    *(float4 *)&b_tile[thread / 32][thread % 32 * 4] = b_next;
}

// Reads two runs of 4 neighbours, `apart` elements apart.
static __device__ __forceinline__ void pick(float (&values)[VALUES], const float *tile, int apart)
{
    *(float4 *)&values[0] = *(const float4 *)&tile[0];
    *(float4 *)&values[4] = *(const float4 *)&tile[apart];
}

template <bool ALIGNED>
static __global__ __launch_bounds__(THREADS, 2) void gemm(int m, int n, int k, float alpha,
                                                          const float *__restrict__ a,
                                                          const float *__restrict__ b, float beta,
                                                          float *__restrict__ c)
{
    __shared__ __align__(16) float a_tile[2][TILE_K][TILE_M + PAD]; // (buffer, k, rows of C)
    __shared__ __align__(16) float b_tile[2][TILE_K][TILE_N];       // (buffer, k, columns of C)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int thread = threadIdx.x;
    // A warp covers 32 rows by 64 columns of the tile, 4 by 8 threads of 2 x 2 runs of 4.
    const int lane = thread % 32;
    const int warp = thread / 32;
    const int ty = warp / 2 * 32 + (lane % 2 + lane / 16 * 2) * 4;
    const int tx = warp % 2 * 64 + lane / 2 % 8 * 4;

    float sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    float4 a_next = at4<ALIGNED>(a, m, k, first_row + thread / 2, thread % 2 * 4);
    float4 b_next = at4<ALIGNED>(b, k, n, thread / 32, first_col + thread % 32 * 4);
    deposit(a_next, b_next, a_tile[0], b_tile[0], thread);
    __syncthreads(); // the first tiles were written by all: complete before anyone reads them
    int now = 0;     // the buffer that is being read; the other one is being filled
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
        // After the last panel this fetches zeros from beyond k, without a memory access.
        const int next_k = first_k + TILE_K;
        a_next = at4<ALIGNED>(a, m, k, first_row + thread / 2, next_k + thread % 2 * 4);
        b_next = at4<ALIGNED>(b, k, n, next_k + thread / 32, first_col + thread % 32 * 4);
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            float a_value[VALUES], b_value[VALUES];
            pick(a_value, &a_tile[now][i][ty], 16);
            pick(b_value, &b_tile[now][i][tx], 32);
#pragma unroll
            for (int r = 0; r < VALUES; ++r)
#pragma unroll
                for (int q = 0; q < VALUES; ++q)
                    sum[r][q] += a_value[r] * b_value[q];
        }
        now = 1 - now;
        deposit(a_next, b_next, a_tile[now], b_tile[now], thread);
        __syncthreads(); // the new tiles are complete, and all have read the old ones: both at once
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const int row = first_row + ty + r / 4 * 16 + r % 4;
            const int col = first_col + tx + q / 4 * 32;
            if (row < m && col < n)
                store4<ALIGNED>(c, n, row, col, &sum[r][q], alpha, beta);
        }
}

// The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall matrix.
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    if (p->n % 4 == 0 && p->k % 4 == 0)
        gemm<true>
            <<<blocks, THREADS, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    else
        gemm<false>
            <<<blocks, THREADS, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT_GEMM({"float4", launch});
