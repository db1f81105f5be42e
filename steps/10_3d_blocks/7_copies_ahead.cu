// Step 10.7: nothing waits for memory, and nothing comes in a burst. Copies go to shared memory
// without a detour through registers, two slabs ahead, 16 bytes at a time where all rows begin on
// 16 bytes. They are started a few at a time among the multiply-adds, and the operands of the next
// column are read while this one is multiplied: the lanes for double precision, which set the
// speed, never pause for long.
#include "families/syr2k.h"

#include <cuda_pipeline.h>

constexpr int SQUARE = 128;             // rows of B and of A to a block
constexpr int WARPS_M = 4, WARPS_N = 2; // warps down and across a square, 4 x 8 threads each
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int VALUES = 8; // rows and columns of D per thread, 4 rows and 8 columns apart
constexpr int STAGES = 3; // slabs in shared memory: one is used while two are on their way
constexpr int PAD = 2;    // rows begin 4 or 20 banks apart: 8 of them, that lanes read, all differ
static_assert(WARPS_M * VALUES * 4 == SQUARE && WARPS_N * VALUES * 8 == SQUARE, "square");

static __host__ __device__ constexpr int tiles(int n, int side) // of `side` elements, one dimension
{
    return (n - 1) / side + 1;
}

// First column (x) and row (y) of a block's tile. Blocks are numbered row by row: a grid's y side
// ends at 65535.
static __device__ int2 corner(int n, int side)
{
    return make_int2((int)blockIdx.x % tiles(n, side) * side,
                     (int)blockIdx.x / tiles(n, side) * side);
}

// SLAB values of each row of a square, and PAD that is not read: (stage, row, value).
template <int SLAB> struct slabs {
    double b[STAGES][SQUARE][SLAB + PAD], a[STAGES][SQUARE][SLAB + PAD];
};

// What a thread copies of rows `row` .. of B and `column` .. of A: `count` pieces of WIDTH values,
// of B first, each `down` rows below the one before. The addresses go on from piece to piece: one
// for each would take registers that the sums need.
template <int SLAB, int WIDTH> struct pieces {
    static constexpr int across = SLAB / WIDTH, down = THREADS / across;
    static constexpr int of_b = SQUARE / down, count = 2 * of_b, bytes = WIDTH * sizeof(double);
    const double *b, *a, *b_at, *a_at; // the matrices, and the next pieces of either
    int row, column, n, length;
    bool is_inside; // not past the end of the rows

    // Of slab `number` before `end`. Past `end` it brings zeros: every iteration has its group of
    // copies then, and a wait counts groups.
    __device__ __forceinline__ pieces(int n, int length, int end, const double *a, const double *b,
                                      int2 corner, int number)
        : b(b), a(a), row(corner.y + (int)threadIdx.x / across),
          column(corner.x + (int)threadIdx.x / across), n(n), length(length)
    {
        const int x = number * SLAB + (int)threadIdx.x % across * WIDTH;
        is_inside = number < end && x < length;
        b_at = b + (size_t)row * length + x;
        a_at = a + (size_t)column * length + x;
    }

    // Starts copies, or zeros, which need no address: part `i` of so many, all in turn from 0 on.
    __device__ __forceinline__ void start(slabs<SLAB> &to, int stage, int i, int parts)
    {
#pragma unroll
        for (int piece = i * count / parts; piece < min((i + 1) * count / parts, count); ++piece) {
            const int place = (piece < of_b ? piece : piece - of_b) * down;
            const int x = threadIdx.x % across * WIDTH, y = threadIdx.x / across + place;
            const auto copy = [&](double *to, int row, const double *all, const double *&at) {
                const bool here = is_inside && row + place < n;
                __pipeline_memcpy_async(to, here ? at : all, bytes, here ? 0 : bytes);
                at += (size_t)down * length;
            };
            piece < of_b ? copy(&to.b[stage][y][x], row, b, b_at)
                         : copy(&to.a[stage][y][x], column, a, a_at);
        }
    }
};

struct operands { // what a thread multiplies next: its values of one column of each slab
    double b[VALUES], a[VALUES];
    template <int SLAB>
    __device__ __forceinline__ void load(const slabs<SLAB> &from, int stage, int i, int ty, int tx)
    {
        for (int v = 0; v < VALUES; ++v)
            b[v] = from.b[stage][ty + v * 4][i];
        for (int v = 0; v < VALUES; ++v)
            a[v] = from.a[stage][tx + v * 8][i];
    }
};

// Down one column, up the next: each multiply-add shares an operand with the one before, see 05.
static __device__ __forceinline__ void multiply(double (&sum)[VALUES][VALUES], const operands &from)
{
    for (int q = 0; q < VALUES; ++q)
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            sum[r][q] += from.b[r] * from.a[q];
        }
}

// Part blockIdx.y of D: `each` slabs along the rows.
// A warp's lanes lie 4 x 8: those 1 apart share columns and those 2 apart rows, so that a read of
// shared memory is one wavefront, see step 07. 64 sums take 128 registers: one block to an SM.
template <int SLAB, int WIDTH>
static __global__ __launch_bounds__(THREADS, 1) void syr2k(int n, int length, int each,
                                                           const double *a, const double *b,
                                                           double *d)
{
    extern __shared__ __align__(16) char memory[]; // above 48 KB it must be asked for
    slabs<SLAB> &slab = *(slabs<SLAB> *)memory;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // Where the lane begins in the square: rows are of B, columns of A.
    const int ty = warp / WARPS_N * (4 * VALUES) + lane / 16 * 2 + lane % 2;
    const int tx = warp % WARPS_N * (8 * VALUES) + lane / 2 % 8;
    const int2 square = corner(n, SQUARE);
    const int part = blockIdx.y, first = part * each, end = min(first + each, tiles(length, SLAB));
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        pieces<SLAB, WIDTH> ahead(n, length, end, a, b, square, first + stage);
        ahead.start(slab, stage, 0, 1);
        __pipeline_commit(); // a group of copies for each slab
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();   // the first slab has arrived, in every thread
    operands value[2]; // of this column, and of the next one on its way
    value[0].load(slab, 0, 0, ty, tx);
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    for (int i = first; i < end; ++i) {
        pieces<SLAB, WIDTH> ahead(n, length, end, a, b, square, i + STAGES - 1);
        const int after = now == STAGES - 1 ? 0 : now + 1;
#pragma unroll
        for (int j = 0; j < SLAB; ++j) {
            if (j < SLAB - 1) {
                value[(j + 1) % 2].load(slab, now, j + 1, ty, tx);
            } else if (i + 1 < end) {
                __pipeline_commit();
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // slab i + 1 has arrived, in every thread: its first column is
                                 // read while the last one of slab i, in registers, is used
                value[0].load(slab, after, 0, ty, tx);
            }
            // A few copies at a time, over slab i - 1: all threads read it before the last barrier.
            ahead.start(slab, next, j, SLAB - 1);
            multiply(sum, value[j % 2]);
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

constexpr int FINISH_SIDE = 16; // finish() has FINISH_SIDE x FINISH_SIDE threads to a block

// Element (row, col) of D: the sum of its parts, in their order.
static __device__ double sum_of_parts(const double *d, int n, int parts, int row, int col)
{
    double sum = 0.0;
#pragma unroll 8
    for (int part = 0; part < parts; ++part)
        sum += d[((size_t)part * n + row) * n + col];
    return sum;
}

// C[k][l] = (D[k][l] + D[l][k]) / 2. The mirrored tile is read along its rows and turned in shared
// memory: neighbours stay neighbours in global memory. Its padded rows keep reads down a column in
// different banks.
static __global__ __launch_bounds__(FINISH_SIDE *FINISH_SIDE) void finish(int n, int parts,
                                                                          const double *d,
                                                                          double *c)
{
    __shared__ double mirrored[FINISH_SIDE][FINISH_SIDE + 1];
    const int2 first = corner(n, FINISH_SIDE);
    if (first.y > first.x) // below the diagonal: nothing of C is wanted there
        return;
    const int x = threadIdx.x, y = threadIdx.y;
    const int k = first.y + y, l = first.x + x;
    if (first.x + y < n && first.y + x < n)
        mirrored[y][x] = sum_of_parts(d, n, parts, first.x + y, first.y + x);
    __syncthreads(); // the mirrored tile is complete
    if (k <= l && l < n)
        c[(size_t)k * n + l] = 0.5 * (sum_of_parts(d, n, parts, k, l) + mirrored[x][y]);
}

constexpr int NARROW = 16, SMALL = 8; // widths of a slab

// For odd rows, and even ones. GPUs with little shared memory have few lanes, too: small slabs do.
static const struct width {
    int slab, bytes;
    decltype(&syr2k<NARROW, 1>) of[2];
} widths[] = {{SMALL, sizeof(slabs<SMALL>), {syr2k<SMALL, 1>, syr2k<SMALL, 2>}},
              {NARROW, sizeof(slabs<NARROW>), {syr2k<NARROW, 1>, syr2k<NARROW, 2>}}};

static const struct width &width_of()
{
    const int bytes = lab_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return widths[bytes >= widths[1].bytes];
}

// Slabs along a row to a part: as many parts as it takes to give each multiprocessor a block, one
// where D alone has blocks enough. They follow from the sizes and the GPU, and with them the order
// of every sum.
static int each_part(const struct lab_syr2k *p, int slab)
{
    const int blocks = tiles(p->n, SQUARE) * tiles(p->n, SQUARE);
    const int at_a_time = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    return tiles(tiles(p->p * p->q, slab), max(1, at_a_time / blocks));
}

// Scratch memory: a D for each part.
static size_t workspace(const struct lab_syr2k *p)
{
    const int slab = width_of().slab;
    const size_t parts = tiles(tiles(p->p * p->q, slab), each_part(p, slab));
    return parts * p->n * p->n * sizeof(double);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const struct width &width = width_of();
    const int length = p->p * p->q, each = each_part(p, width.slab);
    const int parts = tiles(tiles(length, width.slab), each);
    const int blocks = tiles(p->n, SQUARE) * tiles(p->n, SQUARE);
    const int all = tiles(p->n, FINISH_SIDE) * tiles(p->n, FINISH_SIDE);
    const dim3 grid(blocks, parts), threads(FINISH_SIDE, FINISH_SIDE);
    const auto kernel = width.of[length % 2 == 0];
    double *const d = (double *)p->workspace;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, width.bytes);
    kernel<<<grid, THREADS, width.bytes, stream>>>(p->n, length, each, p->a, p->b, d);
    finish<<<all, threads, 0, stream>>>(p->n, parts, d, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"copies_ahead", launch, workspace, LAB_REPEATABLE});
