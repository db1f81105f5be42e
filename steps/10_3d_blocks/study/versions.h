// The kernels of a course report's second problem, as its table, its text and its listing have
// them, with guards, so that they are right at every size. Who includes this file says what a
// `real` is, and where a problem's a, b and c are: report.cu has doubles, float.cu floats.
#ifndef LAB_STUDY_VERSIONS_H
#define LAB_STUDY_VERSIONS_H

#include <limits.h>

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

// --- one thread per element ----------------------------------------------------------------------

constexpr int SIDE_GLOBAL = 32; // a warp is a row of its block

// The diagonal cuts one warp in each row of C: lanes of the others all work, or all leave. Where
// lanes are not neighbours but `across` columns apart it cuts every warp.
template <bool IS_CUT>
static __global__ __launch_bounds__(SIDE_GLOBAL *SIDE_GLOBAL) void global(int n, int p, int q,
                                                                          const real *a,
                                                                          const real *b, real *c)
{
    const int2 first = corner(n, SIDE_GLOBAL);
    const int across = tiles(n, SIDE_GLOBAL);
    const int k = first.y + threadIdx.y;
    const int l =
        IS_CUT ? (int)threadIdx.x * across + first.x / SIDE_GLOBAL : first.x + (int)threadIdx.x;
    if (k > l || l >= n) // half of the threads have nothing to do
        return;
    const real *a_k = a + (size_t)k * p * q, *a_l = a + (size_t)l * p * q;
    const real *b_k = b + (size_t)k * p * q, *b_l = b + (size_t)l * p * q;
    real sum = 0;
    for (int i = 0; i < p; ++i)
        for (int j = 0; j < q; ++j) {
            const size_t at = (size_t)i * q + j;
            sum += a_l[at] * b_k[at] + a_k[at] * b_l[at];
        }
    c[(size_t)k * n + l] = (real)0.5 * sum;
}

template <bool IS_CUT>
static cudaError_t launch_global(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int blocks = tiles(p->n, SIDE_GLOBAL) * tiles(p->n, SIDE_GLOBAL);
    const dim3 threads(SIDE_GLOBAL, SIDE_GLOBAL);
    global<IS_CUT><<<blocks, threads, 0, stream>>>(p->n, p->p, p->q, a_of(p), b_of(p), c_of(p));
    return cudaGetLastError();
}

// --- tiles ---------------------------------------------------------------------------------------

// SIDE rows, TILE_I by TILE_J of the values that are summed over, and PAD that is not read.
template <int SIDE, int TILE_I, int TILE_J, int PAD> struct tile {
    real row[SIDE][TILE_I * TILE_J + PAD];
};

// Loads rows first .. first + SIDE - 1, zeros where there is nothing: they add nothing to a sum. A
// row of the block's threads takes SIDE neighbours along j at a time.
template <int SIDE, int TILE_I, int TILE_J, int PAD>
static __device__ __forceinline__ void load(tile<SIDE, TILE_I, TILE_J, PAD> &to, const real *from,
                                            int first, int n, int p, int q, int i0, int j0, int x,
                                            int y)
{
    static_assert(TILE_J % SIDE == 0, "in whole turns");
    const bool is_row = first + y < n;
#pragma unroll
    for (int i = 0; i < TILE_I; ++i)
#pragma unroll
        for (int turn = 0; turn < TILE_J; turn += SIDE) {
            const int j = turn + x;
            to.row[y][i * TILE_J + j] = is_row && i0 + i < p && j0 + j < q
                                            ? from[((size_t)(first + y) * p + i0 + i) * q + j0 + j]
                                            : (real)0;
        }
}

// --- work for the idle half ----------------------------------------------------------------------

// D[k][l] = sum of A[l] B[k] for all k and l, from two tiles. Without PAD rows of a tile begin in
// one pair of banks; with TILE_J of 8 a row of the block's threads asks for two sectors at a time,
// with 16 or 32 for whole lines. Counters of i and j are ints, or the shorts of the listing.
template <int SIDE, int TILE_I, int TILE_J, int PAD, typename counter>
static __global__ __launch_bounds__(SIDE *SIDE) void halves(int n, int p, int q, const real *a,
                                                            const real *b, real *d)
{
    __shared__ tile<SIDE, TILE_I, TILE_J, PAD> a_l, b_k; // rows l of A and rows k of B, no others
    const int x = threadIdx.x, y = threadIdx.y;
    const int2 first = corner(n, SIDE);
    real sum = 0;
    for (counter i0 = 0; i0 < p; i0 += TILE_I)
        for (counter j0 = 0; j0 < q; j0 += TILE_J) {
            load(b_k, b, first.y, n, p, q, i0, j0, x, y);
            load(a_l, a, first.x, n, p, q, i0, j0, x, y);
            __syncthreads(); // all threads have written the tiles
#pragma unroll 16
            for (counter i = 0; i < TILE_I * TILE_J; ++i)
                sum += a_l.row[x][i] * b_k.row[y][i];
            __syncthreads(); // all have read the tiles: only now may the next ones overwrite them
        }
    const int k = first.y + y, l = first.x + x;
    if (k < n && l < n)
        d[(size_t)k * n + l] = sum;
}

constexpr int FINISH_SIDE = 16; // finish() and clear() have 16 x 16 threads to a block

// C[k][l] = (D[k][l] + D[l][k]) / 2, where D is the sum of LAYERS. The mirrored tile is read along
// its rows and turned in shared memory.
template <int LAYERS>
static __global__ __launch_bounds__(FINISH_SIDE *FINISH_SIDE) void finish(int n, const real *d,
                                                                          real *c)
{
    __shared__ real mirrored[FINISH_SIDE][FINISH_SIDE + 1];
    const int2 first = corner(n, FINISH_SIDE);
    if (first.y > first.x) // below the diagonal: nothing of C is wanted there
        return;
    const int x = threadIdx.x, y = threadIdx.y;
    const int k = first.y + y, l = first.x + x;
    real sum = 0, other = 0;
    for (int layer = 0; layer < LAYERS; ++layer, d += (size_t)n * n) {
        if (first.x + y < n && first.y + x < n)
            other += d[(size_t)(first.x + y) * n + first.y + x];
        if (k <= l && l < n)
            sum += d[(size_t)k * n + l];
    }
    mirrored[y][x] = other;
    __syncthreads(); // the mirrored tile is complete
    if (k <= l && l < n)
        c[(size_t)k * n + l] = (real)0.5 * (sum + mirrored[x][y]);
}

// The report puts the halves together on the host, where D has to go anyway.
template <int LAYERS>
static cudaError_t put_together(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int all = tiles(p->n, FINISH_SIDE) * tiles(p->n, FINISH_SIDE);
    const dim3 threads(FINISH_SIDE, FINISH_SIDE);
    finish<LAYERS><<<all, threads, 0, stream>>>(p->n, (const real *)p->workspace, c_of(p));
    return cudaGetLastError();
}

// Scratch memory: D, of as many layers.
template <int LAYERS> static size_t workspace(const struct lab_syr2k *p)
{
    return (size_t)p->n * p->n * sizeof(real) * LAYERS;
}

// Whether counters that are shorts reach the end, a tile beyond p and q, before they overflow. Else
// the same kernel with ints takes the problem.
static bool is_short(const struct lab_syr2k *p)
{
    return p->p <= SHRT_MAX - 32 && p->q <= SHRT_MAX - 32;
}

template <int SIDE, int TILE_I, int TILE_J, int PAD, typename counter = int>
static cudaError_t launch_halves(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int blocks = tiles(p->n, SIDE) * tiles(p->n, SIDE);
    const dim3 threads(SIDE, SIDE);
    real *const d = (real *)p->workspace;
    if (is_short(p))
        halves<SIDE, TILE_I, TILE_J, PAD, counter>
            <<<blocks, threads, 0, stream>>>(p->n, p->p, p->q, a_of(p), b_of(p), d);
    else
        halves<SIDE, TILE_I, TILE_J, PAD, int>
            <<<blocks, threads, 0, stream>>>(p->n, p->p, p->q, a_of(p), b_of(p), d);
    return put_together<1>(p, stream);
}

// --- blocks in three dimensions ------------------------------------------------------------------

constexpr int SIDE = 16, DEPTH = 2; // a block is SIDE x SIDE x DEPTH threads
constexpr int TILE_I = DEPTH;       // each thread in z takes one i of a tile

// How the two sums of an element meet: in shared memory; in C, atomically; or not at all in this
// kernel, where each thread has a D of its own. That is the bound of what the other two can reach.
enum meeting { REDUCTION, ATOMICS, NONE };

template <meeting HOW, int TILE_J>
static __global__ __launch_bounds__(SIDE *SIDE *DEPTH) void blocks_3d(int n, int p, int q,
                                                                      const real *a, const real *b,
                                                                      real *to)
{
    __shared__ tile<SIDE, TILE_I, TILE_J, 1> a_l, b_k; // rows l of A and rows k of B, no others
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int2 first = corner(n, SIDE);
    const int k = first.y + y, l = first.x + x;
    real sum = 0;
    for (int i0 = 0; i0 < p; i0 += TILE_I)
        for (int j0 = 0; j0 < q; j0 += TILE_J) {
            if (z == 0) // one half loads B, the other one A
                load(b_k, b, first.y, n, p, q, i0, j0, x, y);
            else
                load(a_l, a, first.x, n, p, q, i0, j0, x, y);
            __syncthreads(); // all threads have written the tiles
#pragma unroll 16
            for (int j = 0; j < TILE_J; ++j)
                sum += a_l.row[x][z * TILE_J + j] * b_k.row[y][z * TILE_J + j];
            __syncthreads(); // all have read the tiles: only now may the next ones overwrite them
        }
    if (HOW == REDUCTION) { // the tiles are free: all threads have passed the last barrier
        if (z != 0)
            a_l.row[y][x] = sum;
        __syncthreads(); // the other thread's sum is there
        if (z == 0)
            sum += a_l.row[y][x];
    }
    if (k >= n || l >= n || (HOW == REDUCTION && z != 0))
        return;
    if (HOW == ATOMICS) // below the diagonal is the mirror image's place; on it no half is missing
        atomicAdd(&to[(size_t)min(k, l) * n + max(k, l)], k == l ? sum : (real)0.5 * sum);
    else
        to[((size_t)(HOW == NONE ? z : 0) * n + k) * n + l] = sum;
}

// Zeros for atomicAdd() to add to.
static __global__ void clear(int n, real *c)
{
    const int2 first = corner(n, FINISH_SIDE);
    const int k = first.y + threadIdx.y, l = first.x + threadIdx.x;
    if (k <= l && l < n)
        c[(size_t)k * n + l] = 0;
}

template <meeting HOW, int TILE_J = 32>
static cudaError_t launch_blocks_3d(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int blocks = tiles(p->n, SIDE) * tiles(p->n, SIDE);
    const int all = tiles(p->n, FINISH_SIDE) * tiles(p->n, FINISH_SIDE);
    const dim3 threads(SIDE, SIDE, DEPTH), finishers(FINISH_SIDE, FINISH_SIDE);
    real *const to = HOW == ATOMICS ? c_of(p) : (real *)p->workspace;
    constexpr int LAYERS = HOW == NONE ? DEPTH : 1;
    if (HOW == ATOMICS)
        clear<<<all, finishers, 0, stream>>>(p->n, c_of(p));
    blocks_3d<HOW, TILE_J><<<blocks, threads, 0, stream>>>(p->n, p->p, p->q, a_of(p), b_of(p), to);
    return HOW == ATOMICS ? cudaGetLastError() : put_together<LAYERS>(p, stream);
}

#endif
