// Step 10.6: register blocking. D is a plain product of long rows, and what steps 05 to 07 taught
// holds for it: a thread tile of 8 x 8 in registers, so that a value read from shared memory serves
// eight multiply-adds. Block tiles are few: split-K keeps all multiprocessors busy.
#include "families/syr2k.h"
#include "syr2k/finish.h"
#include "tile/fragment.h"
#include "tile/global.h"
#include "tile/grid.h"

constexpr int SQUARE = 128;             // rows of B and of A to a block
constexpr int WARPS_M = 4, WARPS_N = 2; // warps down and across a square, 4 x 8 threads each
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int VALUES = 8;  // rows and columns of D per thread, 4 rows and 8 columns apart
constexpr int TILE_K = 16; // values of a row in shared memory
constexpr int PAD = 2; // rows are 36 words apart: 8 of them, that lanes read, in different banks
static_assert(WARPS_M * VALUES * 4 == SQUARE && WARPS_N * VALUES * 8 == SQUARE, "square");
static_assert(THREADS % TILE_K == 0 && SQUARE % (THREADS / TILE_K) == 0,
              "all threads load as much");

// TILE_K values of each row of a square, and PAD that is not read.
struct panels {
    double b[SQUARE][TILE_K + PAD], a[SQUARE][TILE_K + PAD];
};

// Loads TILE_K values of the square's rows of B and of A, from value i0 on. A half warp takes
// TILE_K neighbours in a row, a whole line of 128 bytes.
static __device__ __forceinline__ void load(panels &to, const double *a, const double *b,
                                            int2 first, int n, int length, int i0)
{
    const int x = threadIdx.x % TILE_K, y = threadIdx.x / TILE_K;
#pragma unroll
    for (int row = 0; row < SQUARE; row += THREADS / TILE_K) {
        to.b[row + y][x] = tile_at(b, n, length, length, first.y + row + y, i0 + x);
        to.a[row + y][x] = tile_at(a, n, length, length, first.x + row + y, i0 + x);
    }
}

// What a thread multiplies next: its values of one column of each panel.
struct fragments {
    double b[VALUES], a[VALUES];

    __device__ __forceinline__ void load(const panels &from, int i, int ty, int tx)
    {
        for (int r = 0; r < VALUES; ++r)
            b[r] = from.b[ty + r * 4][i];
        for (int q = 0; q < VALUES; ++q)
            a[q] = from.a[tx + q * 8][i];
    }
};

// Part blockIdx.y of D: `each` panels along the rows.
// A warp's lanes lie 4 x 8: those 1 apart share columns and those 2 apart rows, so that a read of
// shared memory is one wavefront, see step 07. 64 sums take 128 registers: one block to an SM.
static __global__ __launch_bounds__(THREADS, 1) void syr2k(int n, int length, int each,
                                                           const double *a, const double *b,
                                                           double *d)
{
    __shared__ panels panel; // of a whole square: 36 KB
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // Where the lane begins in the square: rows are of B, columns of A.
    const int ty = warp / WARPS_N * (4 * VALUES) + lane / 16 * 2 + lane % 2;
    const int tx = warp % WARPS_N * (8 * VALUES) + lane / 2 % 8;
    const int2 first = tile_corner(n, SQUARE);
    const int part = blockIdx.y, end = min((part + 1) * each, tile_count(length, TILE_K));
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    for (int i = part * each; i < end; ++i) {
        load(panel, a, b, first, n, length, i * TILE_K);
        __syncthreads(); // all threads have written the panels
#pragma unroll
        for (int j = 0; j < TILE_K; ++j) {
            fragments value;
            value.load(panel, j, ty, tx);
            tile_outer_product(sum, value.b, value.a);
        }
        __syncthreads(); // all have read the panels: only now may the next ones overwrite them
    }
    for (int r = 0; r < VALUES; ++r)
        for (int q = 0; q < VALUES; ++q) {
            const int k = first.y + ty + r * 4, l = first.x + tx + q * 8;
            if (k < n && l < n)
                d[((size_t)part * n + k) * n + l] = sum[r][q];
        }
}

// Panels along a row to a part: as many parts as it takes to keep the GPU full, one where D alone
// has blocks enough. They follow from the sizes and the GPU, and with them the order of every sum.
static int each_part(const struct lab_syr2k *p)
{
    const int sms = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    int of_sm = 0; // blocks that an SM holds; all SMs hold a wave
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_sm, syr2k, THREADS, 0);
    const int blocks = tile_count(p->n, SQUARE) * tile_count(p->n, SQUARE);
    return tile_count(tile_count(p->p * p->q, TILE_K), max(1, sms * of_sm / blocks));
}

// Scratch memory: a D for each part.
static size_t workspace(const struct lab_syr2k *p)
{
    const size_t parts = tile_count(tile_count(p->p * p->q, TILE_K), each_part(p));
    return parts * p->n * p->n * sizeof(double);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int length = p->p * p->q;
    const int each = each_part(p), parts = tile_count(tile_count(length, TILE_K), each);
    const int blocks = tile_count(p->n, SQUARE) * tile_count(p->n, SQUARE);
    double *const d = (double *)p->workspace;
    syr2k<<<dim3(blocks, parts), THREADS, 0, stream>>>(p->n, length, each, p->a, p->b, d);
    syr2k_launch_finish(p->n, parts, d, p->c, stream);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"register_squares", launch, workspace, LAB_REPEATABLE});
