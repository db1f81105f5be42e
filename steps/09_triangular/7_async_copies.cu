// Step 09.7: asynchronous copies from global to shared memory, without registers in between and two
// panels ahead of the multiply-adds. One barrier for each panel is enough. A copy is 16 bytes, a
// pair of neighbours, where every row begins on 16 bytes; so are the accesses to B at the end. On
// the diagonal copies stay single: half of a pair may lie below it.
#include "families/trmm.h"
#include "tile/fragment.h"
#include "tile/readers.h"
#include "trmm/copies.h"
#include "trmm/thread_tile.h"

constexpr int VALUES = 4; // rows and columns of B per thread
constexpr int ROWS = 64;  // a tile of B is ROWS x COLUMNS, 64 x 64; a warp is 4 x 8 threads
constexpr int COLUMNS = 2 * VALUES * 8;
constexpr int THREADS = ROWS / (4 * VALUES) * 2 * 32; // 8 warps, 4 down and 2 across

constexpr int BLOCKS = 2;  // to an SM at least: limits the registers of a thread
constexpr int TILE_K = 16; // columns of A and rows of B in a panel
constexpr int PAD = 2;     // a row of A is 36 words: 4 rows begin in banks 0, 4, 8 and 12
constexpr int STAGES = 3;  // room for panels in shared memory: one is used, two are on their way
static_assert(PAD % 2 == 0, "rows of A's tile stay aligned to 16 bytes");

struct tiles {
    double a[STAGES][ROWS][TILE_K + PAD]; // (stage, rows of B, k)
    double b[STAGES][TILE_K][COLUMNS];    // (stage, k, columns of B)
};

// Starts the copies of A[row ..][k ..] and B[k ..][column ..], WIDTH_A and WIDTH_B neighbours each.
// Below the diagonal A is not read: zeros take its place, and that of elements beyond the edges. A
// warp reads 2 or 4 rows of 16 of A, or 32 or 64 neighbours of B: whole sectors.
template <int WIDTH_A, int WIDTH_B>
static __device__ __forceinline__ void start(tiles &to, int stage, int n, int m, const double *a,
                                             const double *b, int row, int k, int column)
{
    constexpr int a_across = TILE_K / WIDTH_A, a_down = THREADS / a_across;
    constexpr int b_across = COLUMNS / WIDTH_B, b_down = THREADS / b_across;
    static_assert(ROWS % a_down == 0 && TILE_K % b_down == 0, "all threads take as much");
    const int a_x = threadIdx.x % a_across * WIDTH_A, a_y = threadIdx.x / a_across;
    const int b_x = threadIdx.x % b_across * WIDTH_B, b_y = threadIdx.x / b_across;
#pragma unroll
    for (int i = 0; i < ROWS; i += a_down) {
        const int y = a_y + i;
        // A pair begins at an even k, and n is even: both elements are there, or none is.
        const bool is_there = row + y < n && k + a_x < n && (WIDTH_A == 2 || k + a_x >= row + y);
        trmm_copy<WIDTH_A>(&to.a[stage][y][a_x], is_there ? &a[(size_t)(row + y) * n + k + a_x] : a,
                           is_there);
    }
#pragma unroll
    for (int i = 0; i < TILE_K; i += b_down) {
        const int y = b_y + i;
        const bool is_there = k + y < n && column + b_x < m;
        trmm_copy<WIDTH_B>(&to.b[stage][y][b_x],
                           is_there ? &b[(size_t)(k + y) * m + column + b_x] : b, is_there);
    }
}

// counters[0] numbers the blocks, counters[1 ..] are the readers of each tile; all begin at 0.
template <int WIDTH>
static __global__ __launch_bounds__(THREADS, BLOCKS) void trmm(int n, int m, const double *a,
                                                               double *b, unsigned *counters)
{
    extern __shared__ __align__(16) char memory[]; // above 48 KB it must be asked for
    tiles &tile_of = *(tiles *)memory;
    __shared__ unsigned number;
    const int panels = (m - 1) / COLUMNS + 1, tiles_down = (n - 1) / ROWS + 1;
    tile_number_block(counters, &number);
    const int tile = number / panels, panel = number % panels;
    const int row = tile * ROWS, column = panel * COLUMNS;
    const int ty = trmm_thread_row<VALUES>(), tx = trmm_thread_col<VALUES>();
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    // From the diagonal on: nothing to the left of it counts.
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        if (row + stage * TILE_K < n)
            start<1, WIDTH>(tile_of, stage, n, m, a, b, row, row + stage * TILE_K, column);
        __pipeline_commit(); // a group for each panel, empty beyond the last one
    }
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    for (int k = row; k < n; k += TILE_K) {
        const int next_k = k + (STAGES - 1) * TILE_K;
        trmm_arrived<STAGES - 2>();
        if (WIDTH == 2 && next_k >= row + ROWS) // not on the diagonal
            start<WIDTH, WIDTH>(tile_of, next, n, m, a, b, row, next_k, column);
        else if (next_k < n)
            start<1, WIDTH>(tile_of, next, n, m, a, b, row, next_k, column);
        __pipeline_commit();
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            double a_fragment[VALUES], b_fragment[VALUES];
            trmm_load_fragments(a_fragment, b_fragment, &tile_of.a[now][ty], i,
                                &tile_of.b[now][i][tx]);
            tile_outer_product(sum, a_fragment, b_fragment);
        }
        now = now == STAGES - 1 ? 0 : now + 1;
        next = next == STAGES - 1 ? 0 : next + 1;
    }
    tile_wait_for_readers(counters + 1, tile, tiles_down, panel, panels);
    trmm_add_to<WIDTH>(b, n, m, row + ty, column + tx, sum);
}

static size_t tiles_of(const struct lab_trmm *p)
{
    return (size_t)((p->n - 1) / ROWS + 1) * ((p->m - 1) / COLUMNS + 1);
}

// Bytes of scratch memory that the harness is asked for.
static size_t counters(const struct lab_trmm *p)
{
    return (1 + tiles_of(p)) * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    // Pairs of neighbours lie on 16 bytes where every row begins on 16 bytes.
    const auto kernel = p->n % 2 == 0 && p->m % 2 == 0 ? trmm<2> : trmm<1>;
    const int bytes = sizeof(tiles);
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status == cudaSuccess)
        status = cudaMemsetAsync(p->workspace, 0, counters(p), stream);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)tiles_of(p), THREADS, bytes, stream>>>(p->n, p->m, p->a, p->b,
                                                              (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"pairs", launch, counters});
