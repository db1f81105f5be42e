// Step 10.5: split-K. Where blocks are few, each takes a part of the long rows (i and j are one
// index now) and writes a D of its own. finish() adds these in one order: the same bits each run.
#include "families/syr2k.h"
#include "tile/grid.h"

constexpr int SIDE = 16; // a block has SIDE x SIDE threads, each an element of D
constexpr int TILE = 64; // values of a row in a tile
constexpr int PAD = 1;   // an odd number of doubles to a row: all in different banks

// SIDE rows of values that are summed over, and PAD that is not read.
struct tile {
    double row[SIDE][TILE + PAD];
};

// Loads rows first .. first + SIDE - 1, zeros where there is nothing: they add nothing to a sum. A
// row of the block's threads takes SIDE neighbours at a time.
static __device__ __forceinline__ void load(tile &to, const double *from, int first, int n,
                                            int length, int i0, int x, int y)
{
#pragma unroll
    for (int i = i0 + x; i < i0 + x + TILE; i += SIDE)
        to.row[y][i - i0] =
            first + y < n && i < length ? from[(size_t)(first + y) * length + i] : 0.0;
}

// Part blockIdx.y of D: `each` tiles along the rows. Rows lie 65 doubles apart, as in stage 10.3.
static __global__ __launch_bounds__(SIDE *SIDE) void syr2k(int n, int length, int each,
                                                           const double *a, const double *b,
                                                           double *d)
{
    __shared__ tile a_l, b_k; // rows l of A and rows k of B, no others
    const int x = threadIdx.x, y = threadIdx.y;
    const int2 first = tile_corner(n, SIDE);
    const int part = blockIdx.y, end = min((part + 1) * each, tile_count(length, TILE));
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
    const int2 first = tile_corner(n, FINISH_SIDE);
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

// Tiles of a part. Parts fill the GPU; sizes and GPU alone decide, and so the order of every sum.
static int each_part(const struct lab_syr2k *p)
{
    const int sms = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    int of_sm = 0; // blocks that an SM holds; all SMs hold a wave
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_sm, syr2k, SIDE * SIDE, 0);
    const int blocks = tile_count(p->n, SIDE) * tile_count(p->n, SIDE);
    return tile_count(tile_count(p->p * p->q, TILE), max(1, sms * of_sm / blocks));
}

// Scratch memory: a D for each part.
static size_t workspace(const struct lab_syr2k *p)
{
    const size_t parts = tile_count(tile_count(p->p * p->q, TILE), each_part(p));
    return parts * p->n * p->n * sizeof(double);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int length = p->p * p->q;
    const int each = each_part(p), parts = tile_count(tile_count(length, TILE), each);
    const int blocks = tile_count(p->n, SIDE) * tile_count(p->n, SIDE);
    const int all = tile_count(p->n, FINISH_SIDE) * tile_count(p->n, FINISH_SIDE);
    const dim3 threads(FINISH_SIDE, FINISH_SIDE);
    double *const d = (double *)p->workspace;
    syr2k<<<dim3(blocks, parts), dim3(SIDE, SIDE), 0, stream>>>(p->n, length, each, p->a, p->b, d);
    finish<<<all, threads, 0, stream>>>(p->n, parts, d, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"split_k", launch, workspace, LAB_REPEATABLE});
