// Step 10.5: split-K. Where blocks are few, the sum is divided over blocks in place of threads. i
// and j are one index now, and a block takes a part of the long rows. It writes a D of its own, and
// finish() adds them, always in the same order: the same bits in every run.
#include "families/syr2k.h"

constexpr int SIDE = 16; // a block has SIDE x SIDE threads, each an element of D
constexpr int TILE = 64; // values of a row in a tile
constexpr int PAD = 1;   // an odd number of doubles to a row: all in different banks

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

// SIDE rows, TILE of the values that are summed over, and PAD that is not read.
struct tile {
    double row[SIDE][TILE + PAD];
};

// Value i of a row, 0 where there is none: zeros add nothing to a sum.
static __device__ __forceinline__ double at(const double *x, int n, int length, int row, int i)
{
    return row < n && i < length ? x[(size_t)row * length + i] : 0.0;
}

// Loads rows first .. first + SIDE - 1 from value i0 on. A row of the block's threads takes SIDE
// neighbours at a time, a whole line of 128 bytes.
static __device__ __forceinline__ void load(tile &to, const double *from, int first, int n,
                                            int length, int i0, int x, int y)
{
#pragma unroll
    for (int i = 0; i < TILE; i += SIDE)
        to.row[y][x + i] = at(from, n, length, first + y, i0 + x + i);
}

// Part blockIdx.y of D: `each` tiles along the rows. Of A lanes side by side read 16 rows 65
// doubles apart, in different banks; of B all 16 lanes read the same row, which is one access for
// all.
static __global__ __launch_bounds__(SIDE *SIDE) void syr2k(int n, int length, int each,
                                                           const double *a, const double *b,
                                                           double *d)
{
    __shared__ tile a_l, b_k; // rows l of A and rows k of B, no others
    const int x = threadIdx.x, y = threadIdx.y;
    const int2 first = corner(n, SIDE);
    const int part = blockIdx.y, end = min((part + 1) * each, tiles(length, TILE));
    double sum = 0.0;
    for (int i = part * each; i < end; ++i) {
        load(b_k, b, first.y, n, length, i * TILE, x, y);
        load(a_l, a, first.x, n, length, i * TILE, x, y);
        __syncthreads(); // all threads have written the tiles
#pragma unroll 16
        for (int j = 0; j < TILE; ++j)
            sum += a_l.row[x][j] * b_k.row[y][j];
        __syncthreads(); // all have read the tiles: only now may the next ones overwrite them
    }
    const int k = first.y + y, l = first.x + x;
    if (k < n && l < n)
        d[((size_t)part * n + k) * n + l] = sum;
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

// C[k][l] = (D[k][l] + D[l][k]) / 2. The mirrored tile is read along its rows and transposed in
// shared memory: neighbours stay neighbours in global memory. Its padded rows keep reads down a
// column in different banks.
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

// Blocks of a wave: as many as this GPU runs at a time.
static int blocks_at_a_time()
{
    int blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, syr2k, SIDE * SIDE, 0);
    return lab_device_attribute(cudaDevAttrMultiProcessorCount) * blocks;
}

// Tiles along a row to a part: as many parts as it takes to keep the GPU full, one where D alone
// has blocks enough. They follow from the sizes and the GPU, and with them the order of every sum.
static int each_part(const struct lab_syr2k *p)
{
    const int blocks = tiles(p->n, SIDE) * tiles(p->n, SIDE);
    return tiles(tiles(p->p * p->q, TILE), max(1, blocks_at_a_time() / blocks));
}

// Scratch memory: a D for each part.
static size_t workspace(const struct lab_syr2k *p)
{
    const size_t parts = tiles(tiles(p->p * p->q, TILE), each_part(p));
    return parts * p->n * p->n * sizeof(double);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int length = p->p * p->q;
    const int each = each_part(p), parts = tiles(tiles(length, TILE), each);
    const int blocks = tiles(p->n, SIDE) * tiles(p->n, SIDE);
    const int all = tiles(p->n, FINISH_SIDE) * tiles(p->n, FINISH_SIDE);
    const dim3 threads(FINISH_SIDE, FINISH_SIDE);
    double *const d = (double *)p->workspace;
    syr2k<<<dim3(blocks, parts), dim3(SIDE, SIDE), 0, stream>>>(p->n, length, each, p->a, p->b, d);
    finish<<<all, threads, 0, stream>>>(p->n, parts, d, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"split_k", launch, workspace, LAB_REPEATABLE});
