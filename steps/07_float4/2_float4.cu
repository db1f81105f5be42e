// Stage 07.2: 16 bytes per access, to global and to shared memory: a quarter as many instructions.
// The price is care about alignment, every row must begin on 16 bytes, and about banks. A thread's
// 8 columns are neighbours here, so its reads of b_tile collide and take back most of the gain.
#include "families/gemm.h"

constexpr int VALUES = 8;             // rows and columns of C per thread
constexpr int SIDE = 16;              // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE;  // 256
constexpr int TILE_M = SIDE * VALUES; // rows of C per block
constexpr int TILE_N = SIDE * VALUES; // columns of C per block
constexpr int STRIDE_M = 4;           // from a thread's first run of 4 rows to its second
constexpr int STRIDE_N = 4;           // likewise of columns
constexpr int TILE_K = 8;             // a short panel: the tiles stay small, the sums are elsewhere
constexpr int PAD = 4; // see store_panel(); a multiple of 4: every row of a_tile stays aligned
static_assert(THREADS % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");
static_assert(THREADS / 32 == TILE_K, "one warp for each row of b_tile");
static_assert(TILE_K == 8 && PAD == 4, "transposed stores of a warp: 2 k by 16 rows, all banks");
static_assert(TILE_M * TILE_K == 4 * THREADS, "each thread loads one vector of A");
static_assert(TILE_N == 4 * 32, "and one of B, a warp a row");

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// The 4 elements at `from`, of which `count` exist, zeros for the others: they add nothing to a
// sum. ALIGNED says that rows are a multiple of 4 long: all begin on 16 bytes, no vector is cut.
template <bool ALIGNED>
static __device__ __forceinline__ float4 load4(const float *__restrict__ from, int count)
{
    if (ALIGNED)
        return count > 0 ? *(const float4 *)from : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    return make_float4(count > 0 ? from[0] : 0.0f, count > 1 ? from[1] : 0.0f,
                       count > 2 ? from[2] : 0.0f, count > 3 ? from[3] : 0.0f);
}

// Stores 4 neighbours in a row of C, of which `count` exist.
template <bool ALIGNED>
static __device__ __forceinline__ void store4(float *__restrict__ c, int count, const float *sum,
                                              float alpha, float beta)
{
    if (!ALIGNED) {
        for (int i = 0; i < 4; ++i)
            if (i < count)
                store(&c[i], sum[i], alpha, beta);
    } else if (count > 0) {
        float4 value = beta == 0.0f ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : *(const float4 *)c;
        store(&value.x, sum[0], alpha, beta);
        store(&value.y, sum[1], alpha, beta);
        store(&value.z, sum[2], alpha, beta);
        store(&value.w, sum[3], alpha, beta);
        *(float4 *)c = value;
    }
}

// Stores the panel to the tiles, A's transposed: a warp, 2 k by 16 rows, writes to bank
// (a_k * (TILE_M + 4) + a_row) % 32 = 4 a_k + a_row, which for a_k = 0 and 4 is all 32.
static __device__ __forceinline__ void store_panel(float4 a_next, float4 b_next,
                                                   float (&a_tile)[TILE_K][TILE_M + PAD],
                                                   float (&b_tile)[TILE_K][TILE_N], int a_k,
                                                   int a_row, int b_k, int b_col)
{
    a_tile[a_k + 0][a_row] = a_next.x;
    a_tile[a_k + 1][a_row] = a_next.y;
    a_tile[a_k + 2][a_row] = a_next.z;
    a_tile[a_k + 3][a_row] = a_next.w;
    *(float4 *)&b_tile[b_k][b_col] = b_next;
}

// Copies two runs of 4 neighbours, `stride` elements apart, from a row of a tile to registers.
static __device__ __forceinline__ void load_fragment(float (&values)[VALUES], const float *tile,
                                                     int stride)
{
    *(float4 *)&values[0] = *(const float4 *)&tile[0];
    *(float4 *)&values[4] = *(const float4 *)&tile[stride];
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

// A thread's 8 rows and columns are neighbours. Of b_tile 16 threads across read 4 of every 8
// elements at a time: only half of the banks, twice.
//
// Two blocks must go on fitting on a multiprocessor, hence the 2: 128 registers a thread, the panel
// that waits in them included. With a few more than that one block fits, at half the speed.
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
    const int warp = thread / 32;
    const int lane = thread % 32;
    const int tx = lane % SIDE * VALUES; // along columns, in the tile
    const int ty = warp * 2 * VALUES + lane / SIDE * VALUES;
    // What it loads: of A a warp takes 8 k of 16 rows, whole sectors; of B it takes one k.
    const int a_k = thread % 2 * 4;
    const int a_row = thread / 2;
    const int b_k = warp;
    const int b_col = lane * 4;
    const float *a_from = a + (size_t)(first_row + a_row) * k + a_k;
    const float *b_from = b + (size_t)b_k * n + first_col + b_col;
    const int a_count = first_row + a_row < m ? k - a_k : 0; // elements left in this row of A
    const int b_count = n - first_col - b_col;

    float sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    int now = 0;                    // the buffer being read; the other one is being filled
    float4 a_next = load4<ALIGNED>(a_from, a_count);
    float4 b_next = load4<ALIGNED>(b_from, b_k < k ? b_count : 0);
    store_panel(a_next, b_next, a_tile[now], b_tile[now], a_k, a_row, b_k, b_col);
    __syncthreads(); // all threads have written the first tiles
    // Two iterations at a time, so that `now` is a constant in each and needs no arithmetic. The
    // first panel is loaded ahead: without a branch the compiler may spread the loads among the
    // multiply-adds.
#pragma unroll 2
    for (int next_k = TILE_K; next_k < k + TILE_K; next_k += TILE_K) {
        a_from += TILE_K;
        b_from += (size_t)TILE_K * n;
        // The last iteration only computes: beyond k it reads no memory and takes zeros.
        a_next = load4<ALIGNED>(a_from, a_count - next_k);
        b_next = load4<ALIGNED>(b_from, next_k + b_k < k ? b_count : 0);
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            float a_fragment[VALUES], b_fragment[VALUES];
            load_fragment(a_fragment, &a_tile[now][i][ty], STRIDE_M);
            load_fragment(b_fragment, &b_tile[now][i][tx], STRIDE_N);
            outer_product(sum, a_fragment, b_fragment);
        }
        now = 1 - now;
        store_panel(a_next, b_next, a_tile[now], b_tile[now], a_k, a_row, b_k, b_col);
        __syncthreads(); // the new tiles are complete, and all threads have read the old tiles
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const int row = first_row + ty + r / 4 * STRIDE_M + r % 4;
            const int col = first_col + tx + q / 4 * STRIDE_N;
            if (row < m)
                store4<ALIGNED>(&c[(size_t)row * n + col], n - col, &sum[r][q], alpha, beta);
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

LAB_EXPORT(gemm, {"conflict", launch});
