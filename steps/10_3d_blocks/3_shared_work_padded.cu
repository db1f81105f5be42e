// Step 10.3: the second half of a sum is the first one with k and l exchanged. D[k][l] = sum of
// A[l] B[k] for all k and l gives work to the idle half of the grid: each block reads two tiles in
// place of four, and a second kernel adds D[k][l] and D[l][k]. Rows of a tile are one double longer
// than they need be, so that lanes side by side read different banks, and tiles are larger, with 32
// neighbours of a row: whole lines of global memory.
#include "families/syr2k.h"
#include "tile/grid.h"

constexpr int SIDE = 16;               // a block has SIDE x SIDE threads, each an element of D
constexpr int TILE_I = 2, TILE_J = 32; // values of a row in a tile, 32 neighbours at 2 places
constexpr int PAD = 1;                 // an odd number of doubles to a row: all in different banks

// SIDE rows of values that are summed over, and PAD that is not read.
struct tile {
    double row[SIDE][TILE_I * TILE_J + PAD];
};

// Loads rows first .. first + SIDE - 1, zeros where there is nothing: they add nothing to a sum. A
// row of the block's threads takes SIDE neighbours at a time.
static __device__ __forceinline__ void load(tile &to, const double *from, int first, int n, int p,
                                            int q, int i0, int j0, int x, int y)
{
    const bool is_row = first + y < n;
    for (int i = 0; i < TILE_I; ++i)
        for (int j = x; j < TILE_J; j += SIDE)
            to.row[y][i * TILE_J + j] = is_row && i0 + i < p && j0 + j < q
                                            ? from[((size_t)(first + y) * p + i0 + i) * q + j0 + j]
                                            : 0.0;
}

// Rows lie 65 doubles apart, an odd number: the 16 rows that lanes side by side read are all in
// different pairs of banks. 16 threads load 16 doubles side by side, a whole line of 128 bytes,
// where 8 doubles were two sectors.
static __global__ __launch_bounds__(SIDE *SIDE) void syr2k(int n, int p, int q, const double *a,
                                                           const double *b, double *d)
{
    __shared__ tile a_l, b_k; // rows l of A and rows k of B, no others
    const int x = threadIdx.x, y = threadIdx.y;
    const int2 first = tile_corner(n, SIDE);
    double sum = 0.0;
    for (int i0 = 0; i0 < p; i0 += TILE_I)
        for (int j0 = 0; j0 < q; j0 += TILE_J) {
            load(b_k, b, first.y, n, p, q, i0, j0, x, y);
            load(a_l, a, first.x, n, p, q, i0, j0, x, y);
            __syncthreads(); // all threads have written the tiles
#pragma unroll 16
            for (int i = 0; i < TILE_I * TILE_J; ++i)
                sum += a_l.row[x][i] * b_k.row[y][i];
            __syncthreads(); // all have read the tiles: only now may the next ones overwrite them
        }
    const int k = first.y + y, l = first.x + x;
    if (k < n && l < n)
        d[(size_t)k * n + l] = sum;
}

constexpr int FINISH_SIDE = 16; // finish() has FINISH_SIDE x FINISH_SIDE threads to a block

// C[k][l] = (D[k][l] + D[l][k]) / 2. The mirrored tile is read along its rows and transposed in
// shared memory: neighbours stay neighbours in global memory. Its padded rows keep reads down a
// column in different banks.
static __global__ __launch_bounds__(FINISH_SIDE *FINISH_SIDE) void finish(int n, const double *d,
                                                                          double *c)
{
    __shared__ double mirrored[FINISH_SIDE][FINISH_SIDE + 1];
    const int2 first = tile_corner(n, FINISH_SIDE);
    if (first.y > first.x) // below the diagonal: nothing of C is wanted there
        return;
    const int x = threadIdx.x, y = threadIdx.y;
    const int k = first.y + y, l = first.x + x;
    if (first.x + y < n && first.y + x < n)
        mirrored[y][x] = d[(size_t)(first.x + y) * n + first.y + x];
    __syncthreads(); // the mirrored tile is complete
    if (k <= l && l < n)
        c[(size_t)k * n + l] = 0.5 * (d[(size_t)k * n + l] + mirrored[x][y]);
}

// Scratch memory: D.
static size_t workspace(const struct lab_syr2k *p)
{
    return (size_t)p->n * p->n * sizeof(double);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int blocks = tile_count(p->n, SIDE) * tile_count(p->n, SIDE);
    const int all = tile_count(p->n, FINISH_SIDE) * tile_count(p->n, FINISH_SIDE);
    const dim3 threads(FINISH_SIDE, FINISH_SIDE);
    double *const d = (double *)p->workspace;
    syr2k<<<blocks, dim3(SIDE, SIDE), 0, stream>>>(p->n, p->p, p->q, p->a, p->b, d);
    finish<<<all, threads, 0, stream>>>(p->n, d, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"shared_work_padded_coalesced", launch, workspace});
