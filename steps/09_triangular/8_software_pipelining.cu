// Step 09.8: nothing comes in a burst. A thread starts its copies a few at a time among the
// multiply-adds, and reads the operands of the next k while it multiplies those of this one: their
// instructions fill issue slots that the multiply-adds leave free. Large problems take 8 x 8
// values per thread. A multiprocessor then has only 8 warps, too few to multiply during a burst.
#include "families/trmm.h"
#include "tile/fragment.h"
#include "tile/readers.h"
#include "trmm/copies.h"
#include "trmm/thread_tile.h"

// VALUES: rows and columns of B per thread. A warp is 4 x 8 threads, and 2 warps lie across a tile.
constexpr int ROWS = 64; // a tile of B is ROWS x COLUMNS, 64 x 64 or 64 x 128
template <int VALUES> constexpr int COLUMNS = 2 * VALUES * 8;
template <int VALUES> constexpr int THREADS = ROWS / (4 * VALUES) * 2 * 32; // 256 or 128

constexpr int BLOCKS = 2;  // to an SM at least: limits the registers of a thread
constexpr int TILE_K = 16; // columns of A and rows of B in a panel
constexpr int PAD = 2;     // a row of A is 36 words: 4 rows begin in banks 0, 4, 8 and 12
constexpr int STAGES = 3;  // room for panels in shared memory: one is used, two are on their way
static_assert(PAD % 2 == 0, "rows of A's tile stay aligned to 16 bytes");

template <int VALUES> struct tiles {
    double a[STAGES][ROWS][TILE_K + PAD];      // (stage, rows of B, k)
    double b[STAGES][TILE_K][COLUMNS<VALUES>]; // (stage, k, columns of B)
};

// What a thread copies of A[row ..][k ..] and B[k ..][column ..]: `count` copies of WIDTH_A and
// WIDTH_B neighbours, those of A first. The addresses go on from copy to copy: one for each would
// take registers that the sums need. Below the diagonal A is not read: zeros take its place, and
// that of elements beyond the edges. A warp reads 2 or 4 rows of 16 of A, or 32 or 64 neighbours of
// B: whole sectors.
template <int WIDTH_A, int WIDTH_B, int VALUES> struct panel_iterator {
    static constexpr int a_across = TILE_K / WIDTH_A, a_down = THREADS<VALUES> / a_across;
    static constexpr int b_across = COLUMNS<VALUES> / WIDTH_B, b_down = THREADS<VALUES> / b_across;
    static constexpr int of_a = ROWS / a_down, count = of_a + TILE_K / b_down;
    static_assert(ROWS % a_down == 0 && TILE_K % b_down == 0, "all threads take as much");
    const double *a, *b, *a_at, *b_at;
    int n, m, row, k, column;

    __device__ __forceinline__ panel_iterator(int n, int m, const double *a, const double *b,
                                              int row, int k, int column)
        : a(a), b(b), n(n), m(m), row(row + (int)threadIdx.x / a_across), k(k),
          column(column + (int)threadIdx.x % b_across * WIDTH_B)
    {
        a_at = a + (size_t)this->row * n + k + (int)threadIdx.x % a_across * WIDTH_A;
        b_at = b + (size_t)(k + (int)threadIdx.x / b_across) * m + this->column;
    }

    // Starts one copy; all of them, from 0 on.
    __device__ __forceinline__ void start(tiles<VALUES> &to, int stage, int number)
    {
        if (number < of_a) {
            const int x = threadIdx.x % a_across * WIDTH_A, y = number * a_down;
            // A pair begins at an even k, and n is even: both elements are there, or none is.
            const bool is_there = row + y < n && k + x < n && (WIDTH_A == 2 || k + x >= row + y);
            trmm_copy<WIDTH_A>(&to.a[stage][threadIdx.x / a_across + y][x], is_there ? a_at : a,
                               is_there);
            a_at += (size_t)a_down * n;
        } else {
            const int x = threadIdx.x % b_across * WIDTH_B;
            const int y = (int)threadIdx.x / b_across + (number - of_a) * b_down;
            const bool is_there = k + y < n && column < m;
            trmm_copy<WIDTH_B>(&to.b[stage][y][x], is_there ? b_at : b, is_there);
            b_at += (size_t)b_down * m;
        }
    }
};

// Starts all of them at once.
template <int WIDTH_A, int WIDTH_B, int VALUES>
static __device__ __forceinline__ void start(tiles<VALUES> &to, int stage, int n, int m,
                                             const double *a, const double *b, int row, int k,
                                             int column)
{
    panel_iterator<WIDTH_A, WIDTH_B, VALUES> all(n, m, a, b, row, k, column);
#pragma unroll
    for (int number = 0; number < all.count; ++number)
        all.start(to, stage, number);
}

// The multiply-adds of panel `now`, and among them, where AHEAD says so, the copies to panel
// `next`. a_fragment[] and b_fragment[] hold the operands of this k, and those of the next one on
// their way. The last multiply-adds are left to do while the next panel is waited for, and its
// first operands are read: the panel's own reads are all done by then. The copies hold no branch,
// only predicates: a branch would end the stretch of code that the compiler may reorder.
template <bool AHEAD, class ITERATOR, int VALUES>
static __device__ __forceinline__ void
multiply_panel(double (&sum)[VALUES][VALUES], double (&a_fragment)[2][VALUES],
               double (&b_fragment)[2][VALUES], tiles<VALUES> &tile_of, ITERATOR &ahead, int now,
               int next, bool is_more, int ty, int tx)
{
    constexpr int COUNT = ITERATOR::count, LAST = TILE_K - 1;
#pragma unroll
    for (int i = 0; i < TILE_K; ++i) {
        if (i < TILE_K - 1) {
            trmm_load_fragments(a_fragment[(i + 1) % 2], b_fragment[(i + 1) % 2],
                                &tile_of.a[now][ty], i + 1, &tile_of.b[now][i + 1][tx]);
        } else if (is_more) {
            __pipeline_commit();
            trmm_arrived<STAGES - 2>();
            const int after = now == STAGES - 1 ? 0 : now + 1;
            trmm_load_fragments(a_fragment[0], b_fragment[0], &tile_of.a[after][ty], 0,
                                &tile_of.b[after][0][tx]);
        }
#pragma unroll
        for (int number = i * COUNT / LAST; AHEAD && i < LAST && number < (i + 1) * COUNT / LAST;
             ++number)
            ahead.start(tile_of, next, number);
        tile_outer_product(sum, a_fragment[i % 2], b_fragment[i % 2]);
    }
}

// counters[0] numbers the blocks, counters[1 ..] are the readers of each tile; all begin at 0.
template <int VALUES, int WIDTH>
static __global__ __launch_bounds__(THREADS<VALUES>, BLOCKS) void trmm(int n, int m,
                                                                       const double *a, double *b,
                                                                       unsigned *counters)
{
    extern __shared__ __align__(16) char memory[]; // above 48 KB it must be asked for
    tiles<VALUES> &tile_of = *(tiles<VALUES> *)memory;
    __shared__ unsigned number;
    const int panels = (m - 1) / COLUMNS<VALUES> + 1, tiles_down = (n - 1) / ROWS + 1;
    tile_number_block(counters, &number);
    const int tile = number / panels, panel = number % panels;
    const int row = tile * ROWS, column = panel * COLUMNS<VALUES>;
    const int ty = trmm_thread_row<VALUES>(), tx = trmm_thread_col<VALUES>();
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    // From the diagonal on: nothing to the left of it counts.
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        if (row + stage * TILE_K < n)
            start<1, WIDTH>(tile_of, stage, n, m, a, b, row, row + stage * TILE_K, column);
        __pipeline_commit(); // a group for each panel, empty beyond the last one
    }
    trmm_arrived<STAGES - 2>();
    double a_fragment[2][VALUES], b_fragment[2][VALUES];
    trmm_load_fragments(a_fragment[0], b_fragment[0], &tile_of.a[0][ty], 0, &tile_of.b[0][0][tx]);
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    for (int k = row; k < n; k += TILE_K) {
        const int next_k = k + (STAGES - 1) * TILE_K;
        panel_iterator<WIDTH, WIDTH, VALUES> ahead(n, m, a, b, row, next_k, column);
        if (WIDTH == 1 || next_k < row + ROWS) { // single elements: all at once
            if (next_k < n)
                start<1, WIDTH>(tile_of, next, n, m, a, b, row, next_k, column);
            multiply_panel<false>(sum, a_fragment, b_fragment, tile_of, ahead, now, next,
                                  k + TILE_K < n, ty, tx);
        } else {
            multiply_panel<true>(sum, a_fragment, b_fragment, tile_of, ahead, now, next,
                                 k + TILE_K < n, ty, tx);
        }
        now = now == STAGES - 1 ? 0 : now + 1;
        next = next == STAGES - 1 ? 0 : next + 1;
    }
    tile_wait_for_readers(counters + 1, tile, tiles_down, panel, panels);
    trmm_add_to<WIDTH>(b, n, m, row + ty, column + tx, sum);
}

template <int VALUES> static size_t tiles_of(const struct lab_trmm *p)
{
    return (size_t)((p->n - 1) / ROWS + 1) * ((p->m - 1) / COLUMNS<VALUES> + 1);
}

// Whether large tiles fit, and fill every SM four times over: with fewer of them, some SMs would be
// idle while others still work on the last.
static bool is_large(const struct lab_trmm *p)
{
    const size_t sms = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const size_t shared = lab_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return tiles_of<8>(p) >= 4 * BLOCKS * sms && sizeof(tiles<8>) + sizeof(unsigned) <= shared;
}

// Bytes of scratch memory that the harness is asked for.
static size_t counters(const struct lab_trmm *p)
{
    return (1 + (is_large(p) ? tiles_of<8>(p) : tiles_of<4>(p))) * sizeof(unsigned);
}

template <int VALUES>
static cudaError_t launch_values(const struct lab_trmm *p, cudaStream_t stream)
{
    // Pairs of neighbours lie on 16 bytes where every row begins on 16 bytes.
    const auto kernel = p->n % 2 == 0 && p->m % 2 == 0 ? trmm<VALUES, 2> : trmm<VALUES, 1>;
    const int bytes = sizeof(tiles<VALUES>);
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status == cudaSuccess)
        status = cudaMemsetAsync(p->workspace, 0, counters(p), stream);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)tiles_of<VALUES>(p), THREADS<VALUES>, bytes, stream>>>(
        p->n, p->m, p->a, p->b, (unsigned *)p->workspace);
    return cudaGetLastError();
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    return is_large(p) ? launch_values<8>(p, stream) : launch_values<4>(p, stream);
}

LAB_EXPORT(trmm, {"register_tile", launch, counters});
