// Step 10.6: D is a plain product of long rows, and what steps 05 to 07 learned holds for it: a
// square of values per thread in registers, so that a value read from shared memory serves eight
// multiply-adds. Squares are few: the sum in parts keeps all multiprocessors busy.
#include "families/syr2k.h"

constexpr int SQUARE = 128;             // rows of B and of A to a block
constexpr int WARPS_M = 4, WARPS_N = 2; // warps down and across a square, 4 x 8 threads each
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int VALUES = 8; // rows and columns of D per thread, 4 rows and 8 columns apart
constexpr int SLAB = 16;  // values of a row in shared memory
constexpr int PAD = 2;    // rows are 36 words apart: 8 of them, that lanes read, in different banks
static_assert(WARPS_M * VALUES * 4 == SQUARE && WARPS_N * VALUES * 8 == SQUARE, "square");
static_assert(THREADS % SLAB == 0 && SQUARE % (THREADS / SLAB) == 0, "all threads load as much");

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

// SLAB values of each row of a square, and PAD that is not read.
struct slabs {
    double b[SQUARE][SLAB + PAD], a[SQUARE][SLAB + PAD];
};

// Value i of a row, 0 where there is none: zeros add nothing to a sum.
static __device__ __forceinline__ double at(const double *__restrict__ x, int n, int length,
                                            int row, int i)
{
    return row < n && i < length ? x[(size_t)row * length + i] : 0.0;
}

// Loads SLAB values of the square's rows of B and of A, from value i0 on. A half warp takes SLAB
// neighbours in a row, a whole line of 128 bytes.
static __device__ __forceinline__ void load(slabs &to, const double *a, const double *b, int2 first,
                                            int n, int length, int i0)
{
    const int x = threadIdx.x % SLAB, y = threadIdx.x / SLAB;
#pragma unroll
    for (int row = 0; row < SQUARE; row += THREADS / SLAB) {
        to.b[row + y][x] = at(b, n, length, first.y + row + y, i0 + x);
        to.a[row + y][x] = at(a, n, length, first.x + row + y, i0 + x);
    }
}

// What a thread multiplies next: its values of one column of each slab.
struct operands {
    double b[VALUES], a[VALUES];

    __device__ __forceinline__ void load(const slabs &from, int i, int ty, int tx)
    {
        for (int r = 0; r < VALUES; ++r)
            b[r] = from.b[ty + r * 4][i];
        for (int q = 0; q < VALUES; ++q)
            a[q] = from.a[tx + q * 8][i];
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
static __global__ __launch_bounds__(THREADS, 1) void syr2k(int n, int length, int each,
                                                           const double *a, const double *b,
                                                           double *d)
{
    __shared__ slabs slab; // of a whole square: 36 KB
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // Where the lane begins in the square: rows are of B, columns of A.
    const int ty = warp / WARPS_N * (4 * VALUES) + lane / 16 * 2 + lane % 2;
    const int tx = warp % WARPS_N * (8 * VALUES) + lane / 2 % 8;
    const int2 first = corner(n, SQUARE);
    const int part = blockIdx.y, end = min((part + 1) * each, tiles(length, SLAB));
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    for (int i = part * each; i < end; ++i) {
        load(slab, a, b, first, n, length, i * SLAB);
        __syncthreads(); // all threads have written the slabs
#pragma unroll
        for (int j = 0; j < SLAB; ++j) {
            operands value;
            value.load(slab, j, ty, tx);
            multiply(sum, value);
        }
        __syncthreads(); // all have read the slabs: only now may the next ones overwrite them
    }
    for (int r = 0; r < VALUES; ++r)
        for (int q = 0; q < VALUES; ++q) {
            const int k = first.y + ty + r * 4, l = first.x + tx + q * 8;
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

// Blocks that this GPU runs at a time.
static int blocks_at_a_time()
{
    int blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, syr2k, THREADS, 0);
    return lab_device_attribute(cudaDevAttrMultiProcessorCount) * blocks;
}

// Slabs along a row to a part: as many parts as it takes to keep the GPU full, one where D alone
// has blocks enough. They follow from the sizes and the GPU, and with them the order of every sum.
static int each_part(const struct lab_syr2k *p)
{
    const int blocks = tiles(p->n, SQUARE) * tiles(p->n, SQUARE);
    return tiles(tiles(p->p * p->q, SLAB), max(1, blocks_at_a_time() / blocks));
}

// Scratch memory: a D for each part.
static size_t workspace(const struct lab_syr2k *p)
{
    const size_t parts = tiles(tiles(p->p * p->q, SLAB), each_part(p));
    return parts * p->n * p->n * sizeof(double);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int length = p->p * p->q;
    const int each = each_part(p), parts = tiles(tiles(length, SLAB), each);
    const int blocks = tiles(p->n, SQUARE) * tiles(p->n, SQUARE);
    const int all = tiles(p->n, FINISH_SIDE) * tiles(p->n, FINISH_SIDE);
    const dim3 threads(FINISH_SIDE, FINISH_SIDE);
    double *const d = (double *)p->workspace;
    syr2k<<<dim3(blocks, parts), THREADS, 0, stream>>>(p->n, length, each, p->a, p->b, d);
    finish<<<all, threads, 0, stream>>>(p->n, parts, d, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"register_squares", launch, workspace, LAB_REPEATABLE});
