// Step 09.6: a thread keeps 4 x 4 values of B in registers, a block 64 x 64. An element read from
// shared memory now serves 4 multiply-adds in place of one, and one read from global memory 64 in
// place of 32. Shared memory was what stage 5 waited for.
#include "families/trmm.h"
#include "tile/fragment.h"
#include "tile/readers.h"

constexpr int VALUES = 4; // rows and columns of B per thread
constexpr int ROWS = 64;  // a tile of B is ROWS x COLUMNS, 64 x 64; a warp is 4 x 8 threads
constexpr int COLUMNS = 2 * VALUES * 8;
constexpr int THREADS = ROWS / (4 * VALUES) * 2 * 32; // 8 warps, 4 down and 2 across

constexpr int BLOCKS = 2;  // to an SM at least: limits the registers of a thread
constexpr int TILE_K = 16; // columns of A and rows of B in a panel
constexpr int PAD = 2;     // a row of A is 36 words: 4 rows begin in banks 0, 4, 8 and 12
static_assert(PAD % 2 == 0, "rows of A's tile stay aligned to 16 bytes");

struct tiles {
    double a[ROWS][TILE_K + PAD]; // (rows of B, k)
    double b[TILE_K][COLUMNS];    // (k, columns of B)
};

// Loads A[row ..][k ..] and B[k ..][column ..]. Below the diagonal A is not read: zeros take its
// place, and that of elements beyond the edges. A warp reads 2 rows of 16 of A, or 32 neighbours
// of B: whole sectors.
static __device__ __forceinline__ void load(tiles &to, int n, int m, const double *a,
                                            const double *b, int row, int k, int column)
{
    constexpr int a_down = THREADS / TILE_K, b_down = THREADS / COLUMNS;
    static_assert(ROWS % a_down == 0 && TILE_K % b_down == 0, "all threads take as much");
    const int a_x = threadIdx.x % TILE_K, a_y = threadIdx.x / TILE_K;
    const int b_x = threadIdx.x % COLUMNS, b_y = threadIdx.x / COLUMNS;
#pragma unroll
    for (int i = 0; i < ROWS; i += a_down) {
        const int y = a_y + i;
        const bool is_there = row + y < n && k + a_x < n && k + a_x >= row + y;
        to.a[y][a_x] = is_there ? a[(size_t)(row + y) * n + k + a_x] : 0.0;
    }
#pragma unroll
    for (int i = 0; i < TILE_K; i += b_down) {
        const int y = b_y + i;
        const bool is_there = k + y < n && column + b_x < m;
        to.b[y][b_x] = is_there ? b[(size_t)(k + y) * m + column + b_x] : 0.0;
    }
}

// Copies a thread's values of one column of A's panel and one row of B's to registers.
static __device__ __forceinline__ void load_fragments(double (&a_fragment)[VALUES],
                                                      double (&b_fragment)[VALUES],
                                                      const tiles &from, int k, int ty, int tx)
{
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
        a_fragment[r] = from.a[ty + r * 4][k];
#pragma unroll
    for (int q = 0; q < VALUES; q += 2)
        *(double2 *)&b_fragment[q] = *(const double2 *)&from.b[k][tx + q * 8];
}

// Adds a thread's sums to its values of B.
static __device__ __forceinline__ void add_to(double *b, int n, int m, int row, int column,
                                              const double (&sum)[VALUES][VALUES])
{
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q) {
            const int y = row + r * 4, x = column + q / 2 * 16 + q % 2;
            if (y < n && x < m)
                b[(size_t)y * m + x] += sum[r][q];
        }
}

// counters[0] numbers the blocks, counters[1 ..] are the readers of each tile; all begin at 0.
//
// A thread's rows lie 4 apart, its columns in pairs 16 apart. Lanes 1 apart share columns and lanes
// 2 apart rows, as in step 07. So for each k a warp reads A in VALUES wavefronts, 1 for each row of
// a thread, and B in as many, 2 for each pair: 8 for 16 multiply-adds.
static __global__ __launch_bounds__(THREADS, BLOCKS) void trmm(int n, int m, const double *a,
                                                               double *b, unsigned *counters)
{
    __shared__ __align__(16) tiles tile_of;
    __shared__ unsigned number;
    const int panels = (m - 1) / COLUMNS + 1, tiles_down = (n - 1) / ROWS + 1;
    tile_number_block(counters, &number);
    const int tile = number / panels, panel = number % panels;
    const int row = tile * ROWS, column = panel * COLUMNS;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int ty = warp / 2 * (4 * VALUES) + lane / 16 * 2 + lane % 2;
    const int tx = warp % 2 * (8 * VALUES) + lane / 2 % 8 * 2;
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    // From the diagonal on: nothing to the left of it counts.
    for (int k = row; k < n; k += TILE_K) {
        load(tile_of, n, m, a, b, row, k, column);
        __syncthreads(); // all threads have written both tiles
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            double a_fragment[VALUES], b_fragment[VALUES];
            load_fragments(a_fragment, b_fragment, tile_of, i, ty, tx);
            tile_outer_product(sum, a_fragment, b_fragment);
        }
        __syncthreads(); // and all are done with them before they are overwritten
    }
    tile_wait_for_readers(counters + 1, tile, tiles_down, panel, panels);
    add_to(b, n, m, row + ty, column + tx, sum);
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
    cudaError_t status = cudaMemsetAsync(p->workspace, 0, counters(p), stream);
    if (status != cudaSuccess)
        return status;
    trmm<<<(unsigned)tiles_of(p), THREADS, 0, stream>>>(p->n, p->m, p->a, p->b,
                                                        (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"values_4x4", launch, counters});
