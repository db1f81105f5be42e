// Step 10.7: a multistage pipeline, with software pipelining and register double buffering. Copies
// go to shared memory without a detour through registers, two panels ahead, 16 bytes at a time
// where all rows begin on 16 bytes. They are started a few at a time among the multiply-adds, and
// the fragments of the next column are loaded while those of this one are multiplied: the FP64
// pipe, which sets the speed, never pauses for long.
#include "families/syr2k.h"
#include "syr2k/finish.h"
#include "tile/fragment.h"
#include "tile/grid.h"

#include <cuda_pipeline.h>

constexpr int SQUARE = 128;             // rows of B and of A to a block
constexpr int WARPS_M = 4, WARPS_N = 2; // warps down and across a square, 4 x 8 threads each
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int VALUES = 8; // rows and columns of D per thread, 4 rows and 8 columns apart
constexpr int STAGES = 3; // panels in shared memory: one is used while two are on their way
constexpr int PAD = 2;    // rows begin 4 or 20 banks apart: 8 of them, that lanes read, all differ
static_assert(WARPS_M * VALUES * 4 == SQUARE && WARPS_N * VALUES * 8 == SQUARE, "square");

// TILE_K values of each row of a square, and PAD that is not read: (stage, row, value).
template <int TILE_K> struct panels {
    double b[STAGES][SQUARE][TILE_K + PAD], a[STAGES][SQUARE][TILE_K + PAD];
};

// What a thread copies of rows `row` .. of B and `column` .. of A: `count` copies of WIDTH values,
// of B first, each `down` rows below the one before. The addresses go on from copy to copy: one
// for each would take registers that the sums need.
template <int TILE_K, int WIDTH> struct panel_iterator {
    static constexpr int across = TILE_K / WIDTH, down = THREADS / across;
    static constexpr int of_b = SQUARE / down, count = 2 * of_b, bytes = WIDTH * sizeof(double);
    const double *b, *a, *b_at, *a_at; // the matrices, and what is copied next of either
    int row, column, n, length;
    bool is_inside; // not past the end of the rows

    // Of panel `number` before `end`. Past `end` it brings zeros: every iteration has its group of
    // copies then, and a wait counts groups.
    __device__ __forceinline__ panel_iterator(int n, int length, int end, const double *a,
                                              const double *b, int2 corner, int number)
        : b(b), a(a), row(corner.y + (int)threadIdx.x / across),
          column(corner.x + (int)threadIdx.x / across), n(n), length(length)
    {
        const int x = number * TILE_K + (int)threadIdx.x % across * WIDTH;
        is_inside = number < end && x < length;
        b_at = b + (size_t)row * length + x;
        a_at = a + (size_t)column * length + x;
    }

    // Starts copies, or zeros, which need no address: part `i` of so many, all in turn from 0 on.
    __device__ __forceinline__ void start(panels<TILE_K> &to, int stage, int i, int parts)
    {
#pragma unroll
        for (int number = i * count / parts; number < min((i + 1) * count / parts, count);
             ++number) {
            const int place = (number < of_b ? number : number - of_b) * down;
            const int x = threadIdx.x % across * WIDTH, y = threadIdx.x / across + place;
            const auto copy = [&](double *to, int row, const double *all, const double *&at) {
                const bool here = is_inside && row + place < n;
                __pipeline_memcpy_async(to, here ? at : all, bytes, here ? 0 : bytes);
                at += (size_t)down * length;
            };
            number < of_b ? copy(&to.b[stage][y][x], row, b, b_at)
                          : copy(&to.a[stage][y][x], column, a, a_at);
        }
    }
};

struct fragments { // what a thread multiplies next: its values of one column of each panel
    double b[VALUES], a[VALUES];
    template <int TILE_K>
    __device__ __forceinline__ void load(const panels<TILE_K> &from, int stage, int i, int ty,
                                         int tx)
    {
        for (int v = 0; v < VALUES; ++v)
            b[v] = from.b[stage][ty + v * 4][i];
        for (int v = 0; v < VALUES; ++v)
            a[v] = from.a[stage][tx + v * 8][i];
    }
};

// Part blockIdx.y of D: `each` panels along the rows.
// A warp's lanes lie 4 x 8: those 1 apart share columns and those 2 apart rows, so that a read of
// shared memory is one wavefront, see step 07. 64 sums take 128 registers: one block to an SM.
template <int TILE_K, int WIDTH>
static __global__ __launch_bounds__(THREADS, 1) void syr2k(int n, int length, int each,
                                                           const double *a, const double *b,
                                                           double *d)
{
    extern __shared__ __align__(16) char memory[]; // above 48 KB it must be asked for
    panels<TILE_K> &panel = *(panels<TILE_K> *)memory;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // Where the lane begins in the square: rows are of B, columns of A.
    const int ty = warp / WARPS_N * (4 * VALUES) + lane / 16 * 2 + lane % 2;
    const int tx = warp % WARPS_N * (8 * VALUES) + lane / 2 % 8;
    const int2 square = tile_corner(n, SQUARE);
    const int part = blockIdx.y, first = part * each,
              end = min(first + each, tile_count(length, TILE_K));
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        panel_iterator<TILE_K, WIDTH> ahead(n, length, end, a, b, square, first + stage);
        ahead.start(panel, stage, 0, 1);
        __pipeline_commit(); // a group of copies for each panel
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();    // the first panel has arrived, in every thread
    fragments value[2]; // of this column, and of the next one on its way
    value[0].load(panel, 0, 0, ty, tx);
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    for (int i = first; i < end; ++i) {
        panel_iterator<TILE_K, WIDTH> ahead(n, length, end, a, b, square, i + STAGES - 1);
        const int after = now == STAGES - 1 ? 0 : now + 1;
#pragma unroll
        for (int j = 0; j < TILE_K; ++j) {
            if (j < TILE_K - 1) {
                value[(j + 1) % 2].load(panel, now, j + 1, ty, tx);
            } else if (i + 1 < end) {
                __pipeline_commit();
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // panel i + 1 has arrived, in every thread: its first column is
                                 // read while the last one of panel i, in registers, is used
                value[0].load(panel, after, 0, ty, tx);
            }
            // A few copies at a time, over panel i - 1: all threads read it before the last
            // barrier.
            ahead.start(panel, next, j, TILE_K - 1);
            tile_outer_product(sum, value[j % 2].b, value[j % 2].a);
        }
        now = after;
        next = next == STAGES - 1 ? 0 : next + 1; // the one that was just used
    }
    for (int r = 0; r < VALUES; ++r)
        for (int q = 0; q < VALUES; ++q) {
            const int k = square.y + ty + r * 4, l = square.x + tx + q * 8;
            if (k < n && l < n)
                d[((size_t)part * n + k) * n + l] = sum[r][q];
        }
}

constexpr int NARROW = 16, SMALL = 8; // widths of a panel

// For odd rows, and even ones. GPUs with little shared memory have few lanes, too: small panels do.
static const struct width {
    int panel, bytes;
    decltype(&syr2k<NARROW, 1>) of[2];
} widths[] = {{SMALL, sizeof(panels<SMALL>), {syr2k<SMALL, 1>, syr2k<SMALL, 2>}},
              {NARROW, sizeof(panels<NARROW>), {syr2k<NARROW, 1>, syr2k<NARROW, 2>}}};

static const struct width &width_of()
{
    const int bytes = lab_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return widths[bytes >= widths[1].bytes];
}

// Panels along a row to a part: as many parts as it takes to give each multiprocessor a block, one
// where D alone has blocks enough. They follow from the sizes and the GPU, and with them the order
// of every sum.
static int each_part(const struct lab_syr2k *p, int panel)
{
    const int blocks = tile_count(p->n, SQUARE) * tile_count(p->n, SQUARE);
    const int at_a_time = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    return tile_count(tile_count(p->p * p->q, panel), max(1, at_a_time / blocks));
}

// Scratch memory: a D for each part.
static size_t workspace(const struct lab_syr2k *p)
{
    const int panel = width_of().panel;
    const size_t parts = tile_count(tile_count(p->p * p->q, panel), each_part(p, panel));
    return parts * p->n * p->n * sizeof(double);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const struct width &width = width_of();
    const int length = p->p * p->q, each = each_part(p, width.panel);
    const int parts = tile_count(tile_count(length, width.panel), each);
    const int blocks = tile_count(p->n, SQUARE) * tile_count(p->n, SQUARE);
    const dim3 grid(blocks, parts);
    const auto kernel = width.of[length % 2 == 0];
    double *const d = (double *)p->workspace;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, width.bytes);
    kernel<<<grid, THREADS, width.bytes, stream>>>(p->n, length, each, p->a, p->b, d);
    syr2k_launch_finish(p->n, parts, d, p->c, stream);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"multistage", launch, workspace, LAB_REPEATABLE});
