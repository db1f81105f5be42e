// Stage 12.7: a multistage pipeline of asynchronous copies. A copy of one element lands wherever it
// should in shared memory, so that a K-major operand is transposed on its way, and no registers
// hold a panel. No copy is compared with the edge of C: past it something else is copied, since
// nothing that comes of it is stored. Where TILE_K does not divide k, the first panel is the short
// one, so that the mainloop need not compare with k.
#include "families/gemm.h"
#include "tile/epilogue.h"
#include "tile/fragment.h"
#include "tile/peel.h"

#include <cuda_pipeline.h>

constexpr int VALUES = 8;             // rows and columns of C per thread
constexpr int SIDE = 16;              // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE;  // 256
constexpr int TILE_M = SIDE * VALUES; // rows of C per block
constexpr int TILE_N = SIDE * VALUES; // columns of C per block
constexpr int BLOCKS_PER_SM = 2;
constexpr int STRIDE_M = 16; // from a thread's first run of 4 rows to its second
constexpr int STRIDE_N = 32; // likewise of columns
constexpr int TILE_K = 8;    // a short panel: the tiles stay small, the sums are elsewhere
constexpr int STAGES = 3;    // panels in shared memory: one is used while two are on their way
constexpr int PAD = 4; // see panel_iterator; a multiple of 4: every row of a tile stays aligned
static_assert(THREADS % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");
static_assert(TILE_M == TILE_N && TILE_M == 4 * 32, "a warp copies a row of a tile in vectors");
static_assert(TILE_K == 8 && PAD == 4, "single copies of a warp: 8 k by 4 rows, all banks");

// What a thread copies of a panel: ALONG_K, single elements of one k, 32 rows apart, which a warp
// writes to bank (k * (128 + 4) + across) % 32 = 4 k + across, all 32; else one vector of 4, or
// single elements of every second k. OFFSET is an integer type for offsets within 128 rows.
template <bool ALONG_K, int WIDTH, class OFFSET> struct panel_iterator {
    static constexpr int NEXT = ALONG_K ? THREADS / TILE_K : THREADS / (TILE_M / WIDTH);
    static constexpr int COUNT = (ALONG_K ? TILE_M : TILE_K) / NEXT;
    int k, across;     // in the tile, of the first copy; each next one is NEXT rows or k further on
    const float *from; // the thread's place in the panel that comes next
    OFFSET offset[COUNT]; // and from there to each copy

    __device__ __forceinline__ panel_iterator(const float *__restrict__ x, long long ld, int first,
                                              int extent)
    {
        const int thread = threadIdx.x;
        k = ALONG_K ? thread % TILE_K : thread / (TILE_M / WIDTH);
        across = ALONG_K ? thread / TILE_K : thread % (TILE_M / WIDTH) * WIDTH;
        // Past the edge: along k the last row again. Across, what lies a tile before: if all lanes
        // copied one element, the hardware would make a copy for each, one after another.
        const int last = extent - first - WIDTH;
        const int inside = across <= last ? across : first > 0 ? across - TILE_M : last;
        from = ALONG_K ? x + first * ld + k : x + k * ld + first + inside;
#pragma unroll
        for (int i = 0; i < COUNT; ++i)
            offset[i] = (OFFSET)ld * (ALONG_K ? min(across + i * NEXT, last) : i * NEXT);
    }

    // Starts copy `i` of a panel.
    template <int ROW>
    __device__ __forceinline__ void start(float (&tile)[TILE_K][ROW], int i) const
    {
        float *const to = &tile[k + (ALONG_K ? 0 : i * NEXT)][across + (ALONG_K ? i * NEXT : 0)];
        __pipeline_memcpy_async(to, from + offset[i], WIDTH * sizeof(float));
    }

    // Starts those of a panel of `count` k, and zeros for the others.
    template <int ROW>
    __device__ __forceinline__ void start_first(float (&tile)[TILE_K][ROW], int count) const
    {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const int to_k = k + (ALONG_K ? 0 : i * NEXT);
            const bool is_there = to_k < count;
            __pipeline_memcpy_async(&tile[to_k][across + (ALONG_K ? i * NEXT : 0)],
                                    from + (is_there ? offset[i] : 0), WIDTH * sizeof(float),
                                    is_there ? 0 : WIDTH * sizeof(float));
        }
    }

    // On to the next panel, after one of `count` k.
    __device__ __forceinline__ void step(int count, long long ld)
    {
        from += ALONG_K ? count : count * ld;
    }
};

// A warp covers 32 x 64 values, 4 x 8 threads, and 8 threads across read 128 bytes in a row: all
// banks, once. Lanes 1 apart share a column and lanes 2 apart a row: the hardware serves two groups
// of 8 lanes of a 16-byte read in one wavefront where it finds the same address either way.
//
// Two blocks must go on fitting on a multiprocessor: 128 registers a thread. With a few more than
// that one block fits, at half the speed.
template <bool A_ALONG_K, bool B_ALONG_K, bool ALIGNED, class OFFSET>
static __global__ __launch_bounds__(THREADS, BLOCKS_PER_SM) void gemm(
    int m, int n, int k, float alpha, const float *__restrict__ a, long long row_a,
    const float *__restrict__ b, long long row_b, float beta, float *__restrict__ c,
    long long row_c)
{
    __shared__ __align__(16) float a_tile[STAGES][TILE_K][TILE_M + PAD]; // (stage, k, rows of C)
    __shared__ __align__(16) float b_tile[STAGES][TILE_K][TILE_N + PAD]; // (stage, k, columns of C)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int thread = threadIdx.x;
    const int warp = thread / 32;
    const int lane = thread % 32;
    ptx_let_next_begin();                            // the kernel of what was peeled
    const int tx = warp % 2 * 64 + lane / 2 % 8 * 4; // along columns, in the tile
    const int ty = warp / 2 * 32 + lane / 16 * 8 + lane % 2 * 4;
    panel_iterator<A_ALONG_K, A_ALONG_K || !ALIGNED ? 1 : 4, OFFSET> of_a(a, row_a, first_row, m);
    panel_iterator<B_ALONG_K, B_ALONG_K || !ALIGNED ? 1 : 4, OFFSET> of_b(b, row_b, first_col, n);
    constexpr int COPIES = of_a.COUNT + of_b.COUNT;
    // Copies that begin before k `i` of a panel. Few vectors are spread over the panel, so that
    // they do not compete with the reads of fragments; many single elements begin early, to arrive.
    const auto first_at = [](int i) {
        return ALIGNED ? i * COPIES / (TILE_K - 1) : min(i * ((COPIES + 2) / 3), COPIES);
    };

    float sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    const int panels = (k - 1) / TILE_K + 1;
    const int remainder = k - (panels - 1) * TILE_K; // k of the first one, 1 to TILE_K
    of_a.start_first(a_tile[0], remainder);
    of_b.start_first(b_tile[0], remainder);
    of_a.step(remainder, row_a);
    of_b.step(remainder, row_b);
    __pipeline_commit();                       // a group of copies for each panel
    int left = panels - 1;                     // panels whose copies are still to be started
    const auto start = [&](int stage, int i) { // copy `i` of COPIES of the next panel
        if (i < of_a.COUNT)
            of_a.start(a_tile[stage], i);
        else
            of_b.start(b_tile[stage], i - of_a.COUNT);
    };
    const auto step = [&] {
        of_a.step(TILE_K, row_a);
        of_b.step(TILE_K, row_b);
        --left;
        __pipeline_commit(); // past the last panel, of nothing: a wait counts groups
    };
    for (int stage = 1; stage < STAGES - 1; ++stage) {
        if (left > 0)
#pragma unroll
            for (int copy = 0; copy < COPIES; ++copy)
                start(stage, copy);
        step();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();                // the first panel has arrived, in every thread
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    // STAGES iterations at a time, so that both are constants in each.
#pragma unroll STAGES
    for (int panel = 0; panel < panels; ++panel) {
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            float a_fragment[VALUES], b_fragment[VALUES];
            tile_load_fragment(a_fragment, &a_tile[now][i][ty], STRIDE_M);
            tile_load_fragment(b_fragment, &b_tile[now][i][tx], STRIDE_N);
            // A few copies at a time, over the panel before: all threads read it before the last
            // barrier. After the last k the copies have had time to arrive.
            if (i < TILE_K - 1) {
#pragma unroll
                for (int copy = first_at(i); copy < first_at(i + 1); ++copy)
                    if (left > 0)
                        start(next, copy);
            } else {
                step();
                __pipeline_wait_prior(STAGES - 2);
            }
            tile_outer_product(sum, a_fragment, b_fragment);
        }
        __syncthreads(); // the next panel has arrived, in every thread, and all have read this one
        now = now == STAGES - 1 ? 0 : now + 1;
        next = next == STAGES - 1 ? 0 : next + 1;
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
    const int resident = BLOCKS_PER_SM * lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const struct tile_whole whole = tile_peel(p->m, p->n, TILE_M, resident);
    const int blocks = ((whole.m - 1) / TILE_M + 1) * ((whole.n - 1) / TILE_N + 1);
    const bool is_aligned = (A_ALONG_K || (whole.m % 4 == 0 && p->row_a % 4 == 0)) &&
                            (B_ALONG_K || (whole.n % 4 == 0 && p->row_b % 4 == 0)) &&
                            whole.n % 4 == 0 && p->row_c % 4 == 0;
    const bool fits_int = p->row_a < (1 << 24) && p->row_b < (1 << 24); // offsets within 128 rows
    const auto kernel = !fits_int    ? gemm<A_ALONG_K, B_ALONG_K, false, long long>
                        : is_aligned ? gemm<A_ALONG_K, B_ALONG_K, true, int>
                                     : gemm<A_ALONG_K, B_ALONG_K, false, int>;
    kernel<<<blocks, THREADS, 0, stream>>>(whole.m, whole.n, p->k, p->alpha, p->a, p->row_a, p->b,
                                           p->row_b, p->beta, p->c, p->row_c);
    tile_peel_launch<float, A_ALONG_K, B_ALONG_K>(whole, p->m, p->n, p->k, p->alpha, p->a, p->row_a,
                                                  p->b, p->row_b, p->beta, p->c, p->row_c, stream);
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

LAB_EXPORT(gemm, {"any_async", launch, NULL, LAB_GEMM_ALL});
