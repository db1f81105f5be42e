// Stage 12.8: the same in double. A double is two registers, so 64 sums take half of all that a
// thread may have, one block fits on a multiprocessor in place of two, and no other one multiplies
// while it waits. Hence register double buffering: fragments of the next k are loaded while those
// of this one are multiplied, across barriers, too. And three panels are on their way.
#include "families/gemm.h"
#include "tile/epilogue.h"
#include "tile/fragment.h"
#include "tile/peel.h"

#include <cuda_pipeline.h>

constexpr int VALUES = 8;             // rows and columns of C per thread
constexpr int RUN = 2;                // neighbours that a thread reads at once, 16 bytes
constexpr int SIDE = 16;              // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE;  // 256
constexpr int TILE_M = SIDE * VALUES; // rows of C per block
constexpr int TILE_N = SIDE * VALUES; // columns of C per block
constexpr int STRIDE_M = 8;           // from a thread's run of 2 rows to its next
constexpr int STRIDE_N = 16;          // likewise of columns
constexpr int TILE_K = 8;
constexpr int STAGES = 4; // panels in shared memory: one is used while three are on their way
constexpr int PAD = 2;    // see panel_iterator; a multiple of 2: every row of a tile stays aligned
static_assert(TILE_M == TILE_N && TILE_M == 2 * 2 * 32,
              "two warps copy a row of a tile in vectors");
static_assert(TILE_K == 8 && PAD == 2, "single copies of half a warp: 8 k by 2 rows, all banks");

struct stage {
    double a[TILE_K][TILE_M + PAD]; // (k, rows of C)
    double b[TILE_K][TILE_N + PAD]; // (k, columns of C)
};

// What a thread copies of a panel: along k, single elements of one k, 32 rows apart, which half a
// warp writes to pair of banks (k * (128 + 2) + across) % 16 = 2 k + across, all 16; across,
// vectors of 2, or single elements, of every fourth or second k.
template <bool ALONG_K, int WIDTH> struct panel_iterator {
    static constexpr int NEXT = ALONG_K ? THREADS / TILE_K : THREADS / (TILE_M / WIDTH);
    static constexpr int COUNT = (ALONG_K ? TILE_M : TILE_K) / NEXT;
    int k, across; // in the tile, of the first copy; each next one is NEXT rows or k further on
    const double *from;      // the thread's place in the panel that comes next
    long long offset[COUNT]; // and from there to each copy

    __device__ __forceinline__ panel_iterator(const double *__restrict__ x, long long ld, int first,
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
            offset[i] = ld * (ALONG_K ? min(across + i * NEXT, last) : i * NEXT);
    }

    // Starts copy `i` of a panel; past the last one, of zeros, and nothing is read.
    template <int ROW>
    __device__ __forceinline__ void start(double (&tile)[TILE_K][ROW], int i, bool is_there) const
    {
        double *const to = &tile[k + (ALONG_K ? 0 : i * NEXT)][across + (ALONG_K ? i * NEXT : 0)];
        __pipeline_memcpy_async(to, from + offset[i], WIDTH * sizeof(double),
                                is_there ? 0 : WIDTH * sizeof(double));
    }

    // Starts those of a panel of `count` k, and zeros for the others.
    template <int ROW>
    __device__ __forceinline__ void start_first(double (&tile)[TILE_K][ROW], int count) const
    {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const int to_k = k + (ALONG_K ? 0 : i * NEXT);
            const bool is_there = to_k < count;
            __pipeline_memcpy_async(&tile[to_k][across + (ALONG_K ? i * NEXT : 0)],
                                    from + (is_there ? offset[i] : 0), WIDTH * sizeof(double),
                                    is_there ? 0 : WIDTH * sizeof(double));
        }
    }

    // On to the next panel, after one of `count` k.
    __device__ __forceinline__ void step(int count, long long ld)
    {
        from += ALONG_K ? count : count * ld;
    }
};

// A warp covers 32 x 64 values, 4 x 8 threads, and lanes 1 apart share columns, those 2 apart rows,
// so that a read of 16 bytes per lane is one wavefront, see 07. 64 sums take 128 registers: one
// block to a multiprocessor, two warps to each of its quarters.
template <bool A_ALONG_K, bool B_ALONG_K, bool ALIGNED>
static __global__
__launch_bounds__(THREADS, 1) void gemm(int m, int n, int k, double alpha,
                                        const double *__restrict__ a, long long row_a,
                                        const double *__restrict__ b, long long row_b, double beta,
                                        double *__restrict__ c, long long row_c)
{
    extern __shared__ __align__(16) char memory[]; // above 48 KB it must be asked for
    stage *const stages = (stage *)memory;
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int thread = threadIdx.x;
    const int warp = thread / 32;
    const int lane = thread % 32;
    ptx_let_next_begin();                              // the kernel of what was peeled
    const int tx = warp % 2 * 64 + lane / 2 % 8 * RUN; // along columns, in the tile
    const int ty = warp / 2 * 32 + (lane / 16 * 2 + lane % 2) * RUN;
    panel_iterator<A_ALONG_K, A_ALONG_K || !ALIGNED ? 1 : RUN> of_a(a, row_a, first_row, m);
    panel_iterator<B_ALONG_K, B_ALONG_K || !ALIGNED ? 1 : RUN> of_b(b, row_b, first_col, n);
    constexpr int COPIES = of_a.COUNT + of_b.COUNT;

    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    const int panels = (k - 1) / TILE_K + 1;
    const int remainder = k - (panels - 1) * TILE_K; // k of the first one, 1 to TILE_K
    of_a.start_first(stages[0].a, remainder);
    of_b.start_first(stages[0].b, remainder);
    of_a.step(remainder, row_a);
    of_b.step(remainder, row_b);
    __pipeline_commit();                       // a group of copies for each panel
    int left = panels - 1;                     // panels whose copies are still to be started
    const auto start = [&](stage &to, int i) { // copy `i` of COPIES of the next panel
        if (i < of_a.COUNT)
            of_a.start(to.a, i, left > 0);
        else
            of_b.start(to.b, i - of_a.COUNT, left > 0);
    };
    const auto step = [&] {
        of_a.step(TILE_K, row_a);
        of_b.step(TILE_K, row_b);
        --left;
        __pipeline_commit(); // past the last panel, too: a wait counts groups
    };
    for (int i = 1; i < STAGES - 1; ++i) {
#pragma unroll
        for (int copy = 0; copy < COPIES; ++copy)
            start(stages[i], copy);
        step();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); // the first panel has arrived, in every thread
    double a_fragment[2][VALUES],
        b_fragment[2][VALUES]; // of this k, and of the next one on its way
    const auto load_both = [&](int k_parity, const stage &from, int i) {
        tile_load_fragment(a_fragment[k_parity], &from.a[i][ty], STRIDE_M);
        tile_load_fragment(b_fragment[k_parity], &from.b[i][tx], STRIDE_N);
    };
    load_both(0, stages[0], 0);
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    // STAGES iterations at a time, so that both are constants in each.
#pragma unroll STAGES
    for (int panel = 0; panel < panels; ++panel) {
        const int after = now == STAGES - 1 ? 0 : now + 1;
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            // A copy or two at a time, over the panel before: all threads read it before the last
            // barrier. After the last k the copies have had time to arrive.
            if (i < TILE_K - 1) {
                load_both((i + 1) % 2, stages[now], i + 1);
#pragma unroll
                for (int copy = i * COPIES / (TILE_K - 1); copy < (i + 1) * COPIES / (TILE_K - 1);
                     ++copy)
                    start(stages[next], copy);
            } else {
                step();
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // the next panel has arrived in every thread: its first k is read
                                 // while the last k of this one, in registers, is multiplied. Past
                                 // the last panel zeros are read, for nothing
                load_both(0, stages[after], 0);
            }
            tile_outer_product(sum, a_fragment[i % 2], b_fragment[i % 2]);
        }
        now = after;
        next = next == STAGES - 1 ? 0 : next + 1;
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += RUN) {
            // Where this run of a thread's values lies in C, as the runs lie in the tile.
            const int row = first_row + ty + r / RUN * STRIDE_M + r % RUN;
            const int col = first_col + tx + q / RUN * STRIDE_N;
            if (row < m)
                tile_store2<ALIGNED>(&c[row * row_c + col], n - col, &sum[r][q], alpha, beta);
        }
}

// One of the four forms: an operand that runs along k in memory is transposed on its way to the
// tile.
template <bool A_ALONG_K, bool B_ALONG_K>
static void launch_form(const struct lab_gemm *p, cudaStream_t stream)
{
    // The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall
    // matrix.
    const int resident = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const struct tile_whole whole = tile_peel(p->m, p->n, TILE_M, resident);
    const int blocks = ((whole.m - 1) / TILE_M + 1) * ((whole.n - 1) / TILE_N + 1);
    const int bytes = STAGES * sizeof(stage);
    const bool is_aligned = (A_ALONG_K || (whole.m % 2 == 0 && p->row_a % 2 == 0)) &&
                            (B_ALONG_K || (whole.n % 2 == 0 && p->row_b % 2 == 0)) &&
                            whole.n % 2 == 0 && p->row_c % 2 == 0;
    const auto kernel =
        is_aligned ? gemm<A_ALONG_K, B_ALONG_K, true> : gemm<A_ALONG_K, B_ALONG_K, false>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<blocks, THREADS, bytes, stream>>>(whole.m, whole.n, p->k, p->alpha_double, p->a_double,
                                               p->row_a, p->b_double, p->row_b, p->beta_double,
                                               p->c_double, p->row_c);
    tile_peel_launch<double, A_ALONG_K, B_ALONG_K>(whole, p->m, p->n, p->k, p->alpha_double,
                                                   p->a_double, p->row_a, p->b_double, p->row_b,
                                                   p->beta_double, p->c_double, p->row_c, stream);
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

LAB_EXPORT(gemm, {"doubles_async", launch, NULL, LAB_GEMM_ALL | LAB_GEMM_DOUBLES});
