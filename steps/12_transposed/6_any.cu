// Stage 12.6: step 07's last stage as one kernel for all four products. Sums are made of tiles in
// which k goes down, whatever the operands look like in memory: only how a panel is loaded and
// stored differs. Of a K-major operand (A not transposed, B transposed) four k of a row or column
// are transposed on the way; four neighbours of an M- or N-major one are stored as they come.
#include "families/gemm.h"
#include "tile/epilogue.h"
#include "tile/fragment.h"
#include "tile/global.h"

constexpr int VALUES = 8;             // rows and columns of C per thread
constexpr int SIDE = 16;              // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE;  // 256
constexpr int TILE_M = SIDE * VALUES; // rows of C per block
constexpr int TILE_N = SIDE * VALUES; // columns of C per block
constexpr int STRIDE_M = 16;          // from a thread's first run of 4 rows to its second
constexpr int STRIDE_N = 32;          // likewise of columns
constexpr int TILE_K = 8;             // a short panel: the tiles stay small, the sums are elsewhere
constexpr int PAD = 4; // see store_panel(); a multiple of 4: every row of a tile stays aligned
static_assert(THREADS % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");
static_assert(THREADS / 32 == TILE_K, "one warp for each row of a tile");
static_assert(TILE_K == 8 && PAD == 4, "transposed stores of a warp: 2 k by 16 rows, all banks");
static_assert(TILE_M * TILE_K == 4 * THREADS, "each thread loads one vector of A");
static_assert(TILE_M == 4 * 32 && TILE_N == 4 * 32, "and one of B; across, a warp a row");

// Where a thread loads of a panel, and where it stores that in the tile. Along k (K-major) a warp
// takes 8 k of 16 rows, whole sectors; across it takes 128 neighbours of one k.
struct place {
    int k, across; // in the tile
    const float *from;
    long long step; // from one panel to the next
    int left;       // along k: k left in the row from here on; across: elements left in the row
};

template <bool ALONG_K>
static __device__ __forceinline__ place place_of(const float *x, long long ld, int first,
                                                 int extent, int k)
{
    const int thread = threadIdx.x;
    place p;
    p.k = ALONG_K ? thread % 2 * 4 : thread / 32;
    p.across = ALONG_K ? thread / 2 : thread % 32 * 4;
    p.from = ALONG_K ? x + (first + p.across) * ld + p.k : x + p.k * ld + first + p.across;
    p.step = ALONG_K ? TILE_K : TILE_K * ld;
    p.left = !ALONG_K ? extent - first - p.across : first + p.across < extent ? k - p.k : 0;
    return p;
}

// The thread's 4 elements of the panel that begins at `first_k`, and a step to the next panel.
template <bool ALONG_K, bool ALIGNED>
static __device__ __forceinline__ float4 load(place &p, int first_k, int k)
{
    const float *from = p.from;
    p.from += p.step;
    return tile_load4<ALIGNED>(from, ALONG_K ? p.left - first_k : first_k + p.k < k ? p.left : 0);
}

// Stores them. Those along k are transposed: a warp, 2 k by 16 rows, writes to bank
// (k * (128 + 4) + across) % 32 = 4 k + across, which for k = 0 and 4 is all 32.
template <bool ALONG_K, int ROW>
static __device__ __forceinline__ void store_panel(float4 next, float (&tile)[TILE_K][ROW],
                                                   const place &p)
{
    if (!ALONG_K) {
        *(float4 *)&tile[p.k][p.across] = next;
        return;
    }
    tile[p.k + 0][p.across] = next.x;
    tile[p.k + 1][p.across] = next.y;
    tile[p.k + 2][p.across] = next.z;
    tile[p.k + 3][p.across] = next.w;
}

// A warp covers 32 x 64 values, 4 x 8 threads, and 8 threads across read 128 bytes in a row: all
// banks, once. Lanes 1 apart share a column and lanes 2 apart a row: the hardware serves two groups
// of 8 lanes of a 16-byte read in one wavefront where it finds the same address either way.
//
// Two blocks must go on fitting on a multiprocessor, hence the 2: 128 registers a thread, the panel
// that waits in them included. With a few more than that one block fits, at half the speed.
template <bool A_ALONG_K, bool B_ALONG_K, bool ALIGNED>
static __global__ __launch_bounds__(THREADS,
                                    2) void gemm(int m, int n, int k, float alpha,
                                                 const float *__restrict__ a, long long row_a,
                                                 const float *__restrict__ b, long long row_b,
                                                 float beta, float *__restrict__ c, long long row_c)
{
    __shared__ __align__(16) float a_tile[2][TILE_K][TILE_M + PAD]; // (buffer, k, rows of C)
    __shared__ __align__(16) float b_tile[2][TILE_K][TILE_N + PAD]; // (buffer, k, columns of C)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int thread = threadIdx.x;
    const int warp = thread / 32;
    const int lane = thread % 32;
    const int tx = warp % 2 * 64 + lane / 2 % 8 * 4; // along columns, in the tile
    const int ty = warp / 2 * 32 + lane / 16 * 8 + lane % 2 * 4;
    place of_a = place_of<A_ALONG_K>(a, row_a, first_row, m, k);
    place of_b = place_of<B_ALONG_K>(b, row_b, first_col, n, k);

    float sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    int now = 0;                    // the buffer being read; the other one is being filled
    float4 a_next = load<A_ALONG_K, ALIGNED>(of_a, 0, k);
    float4 b_next = load<B_ALONG_K, ALIGNED>(of_b, 0, k);
    store_panel<A_ALONG_K>(a_next, a_tile[now], of_a);
    store_panel<B_ALONG_K>(b_next, b_tile[now], of_b);
    __syncthreads(); // all threads have written the first tiles
    // Two iterations at a time, so that `now` is a constant in each and needs no arithmetic. The
    // first panel is loaded ahead: without a branch the compiler may spread the loads among the
    // multiply-adds.
#pragma unroll 2
    for (int next_k = TILE_K; next_k < k + TILE_K; next_k += TILE_K) {
        // The last iteration only computes: beyond k it reads no memory and takes zeros.
        a_next = load<A_ALONG_K, ALIGNED>(of_a, next_k, k);
        b_next = load<B_ALONG_K, ALIGNED>(of_b, next_k, k);
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            float a_fragment[VALUES], b_fragment[VALUES];
            tile_load_fragment(a_fragment, &a_tile[now][i][ty], STRIDE_M);
            tile_load_fragment(b_fragment, &b_tile[now][i][tx], STRIDE_N);
            tile_outer_product(sum, a_fragment, b_fragment);
        }
        now = 1 - now;
        store_panel<A_ALONG_K>(a_next, a_tile[now], of_a);
        store_panel<B_ALONG_K>(b_next, b_tile[now], of_b);
        __syncthreads(); // the new tiles are complete, and all threads have read the old tiles
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            // Where this run of a thread's values lies in C, as the runs lie in the tile.
            const int row = first_row + ty + r / 4 * STRIDE_M + r % 4;
            const int col = first_col + tx + q / 4 * STRIDE_N;
            if (row < m)
                tile_store4<ALIGNED>(&c[row * row_c + col], n - col, &sum[r][q], alpha, beta);
        }
}

// One of the four forms: an operand that runs along k in memory is transposed on its way to the
// tile.
template <bool A_ALONG_K, bool B_ALONG_K>
static void launch_form(const struct lab_gemm *p, cudaStream_t stream)
{
    // The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall
    // matrix.
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    const bool is_aligned = (A_ALONG_K ? p->k : p->m) % 4 == 0 && p->row_a % 4 == 0 &&
                            (B_ALONG_K ? p->k : p->n) % 4 == 0 && p->row_b % 4 == 0 &&
                            p->n % 4 == 0 && p->row_c % 4 == 0;
    if (is_aligned)
        gemm<A_ALONG_K, B_ALONG_K, true><<<blocks, THREADS, 0, stream>>>(
            p->m, p->n, p->k, p->alpha, p->a, p->row_a, p->b, p->row_b, p->beta, p->c, p->row_c);
    else
        gemm<A_ALONG_K, B_ALONG_K, false><<<blocks, THREADS, 0, stream>>>(
            p->m, p->n, p->k, p->alpha, p->a, p->row_a, p->b, p->row_b, p->beta, p->c, p->row_c);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    if (p->a_is_transposed && p->b_is_transposed)
        launch_form<false, true>(p, stream); // TT: A is read across, B along k
    else if (p->a_is_transposed)
        launch_form<false, false>(p, stream); // TN: both across
    else if (p->b_is_transposed)
        launch_form<true, true>(p, stream); // NT: both along k
    else
        launch_form<true, false>(p, stream); // NN: A along k, B across
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"any", launch, NULL, LAB_GEMM_ALL});
