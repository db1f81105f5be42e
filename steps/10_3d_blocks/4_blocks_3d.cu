// Step 10.4: sliced-K. A block gets a third dimension: two threads share an element of D, and each
// takes half of every tile. It brings more warps, and saves nothing else. Three ways to add their
// sums: through shared memory, by a shuffle, or atomically into C.
#include "families/syr2k.h"
#include "tile/grid.h"

constexpr int SIDE = 16;               // elements of D down and across a block
constexpr int TILE_I = 2, TILE_J = 32; // values of a row in a tile, 32 neighbours at 2 places
constexpr int PAD = 1;                 // an odd number of doubles to a row: all in different banks
constexpr int DEPTH = TILE_I;          // threads in z, one for each of a tile's i

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

enum way { REDUCTION, SHUFFLES, ATOMICS }; // in which the sums of two threads are added
// For shuffles the two threads of an element are lanes side by side. A warp then reads both halves
// of every row: more wavefronts for every operand. Atomically four sums meet in an element of C,
// from two blocks. C must hold zeros first, and the order, thus the last bits, may differ each run.
template <way HOW>
static __global__ __launch_bounds__(SIDE *SIDE *DEPTH) void syr2k(int n, int p, int q,
                                                                  const double *a, const double *b,
                                                                  double *to)
{
    __shared__ tile a_l, b_k; // rows l of A and rows k of B, no others
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int z = HOW == SHUFFLES ? thread % DEPTH : thread / (SIDE * SIDE);
    const int element = HOW == SHUFFLES ? thread / DEPTH : thread % (SIDE * SIDE);
    const int x = element % SIDE, y = element / SIDE;
    const int load_x = thread % SIDE, load_y = thread / SIDE % SIDE;
    const int2 first = tile_corner(n, SIDE);
    double sum = 0.0;
    for (int i0 = 0; i0 < p; i0 += TILE_I)
        for (int j0 = 0; j0 < q; j0 += TILE_J) {
            if (thread < SIDE * SIDE) // one half loads B, the other one A
                load(b_k, b, first.y, n, p, q, i0, j0, load_x, load_y);
            else
                load(a_l, a, first.x, n, p, q, i0, j0, load_x, load_y);
            __syncthreads(); // all threads have written the tiles
#pragma unroll 16
            for (int j = 0; j < TILE_J; ++j)
                sum += a_l.row[x][z * TILE_J + j] * b_k.row[y][z * TILE_J + j];
            __syncthreads(); // all have read the tiles: only now may the next ones overwrite them
        }
    const int k = first.y + y, l = first.x + x;
    if (HOW == ATOMICS) {
        // An element below the diagonal is added to its mirror image; one on it is not halved.
        if (k < n && l < n)
            atomicAdd(&to[(size_t)min(k, l) * n + max(k, l)], k == l ? sum : 0.5 * sum);
        return;
    }
    if (HOW == SHUFFLES) {
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, 1); // both neighbouring lanes get the other's sum
    } else {
        if (z != 0) // the tiles are free: all threads have passed the last barrier
            a_l.row[y][x] = sum;
        __syncthreads(); // the other thread's sum is there
        if (z == 0)
            sum += a_l.row[y][x];
    }
    if (k < n && l < n && z == 0)
        to[(size_t)k * n + l] = sum;
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

// Zeros for atomicAdd() to add to, by blocks like those of finish().
static __global__ void clear(int n, double *c)
{
    const int2 first = tile_corner(n, FINISH_SIDE);
    const int k = first.y + threadIdx.y, l = first.x + threadIdx.x;
    if (k <= l && l < n)
        c[(size_t)k * n + l] = 0.0;
}

// Scratch memory: D.
static size_t workspace(const struct lab_syr2k *p)
{
    return (size_t)p->n * p->n * sizeof(double);
}

template <way HOW> static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int blocks = tile_count(p->n, SIDE) * tile_count(p->n, SIDE);
    const int all = tile_count(p->n, FINISH_SIDE) * tile_count(p->n, FINISH_SIDE);
    const dim3 threads(FINISH_SIDE, FINISH_SIDE);
    double *const to = HOW == ATOMICS ? p->c : (double *)p->workspace;
    if (HOW == ATOMICS)
        clear<<<all, threads, 0, stream>>>(p->n, p->c);
    syr2k<HOW><<<blocks, dim3(SIDE, SIDE, DEPTH), 0, stream>>>(p->n, p->p, p->q, p->a, p->b, to);
    if (HOW != ATOMICS)
        finish<<<all, threads, 0, stream>>>(p->n, to, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"blocks_3d_reduction", launch<REDUCTION>, workspace},
           {"blocks_3d_shuffles", launch<SHUFFLES>, workspace},
           {"blocks_3d_atomics", launch<ATOMICS>});
