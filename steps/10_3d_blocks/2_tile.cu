// Step 10.2: all elements in a row of C take the same rows of A and B, and all in a column
// likewise. A block brings a piece of each row to shared memory and uses it for a whole tile of C.
// Four tiles: both halves of the sum need rows k and rows l, of A and of B.
#include "families/syr2k.h"

constexpr int SIDE = 8;               // a block has SIDE x SIDE threads, each an element of C
constexpr int TILE_I = 8, TILE_J = 8; // values of a row in a tile, 8 neighbours at 8 places

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

// SIDE rows, TILE_I by TILE_J of the values that are summed over.
struct tile {
    double row[SIDE][TILE_I * TILE_J];
};

// Loads rows first .. first + SIDE - 1, zeros where there is nothing: they add nothing to a sum. A
// row of the block's threads takes SIDE neighbours along j at a time.
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

// Blocks below the diagonal leave at once. Rows lie 64 doubles apart, a multiple of all banks: the
// 8 rows that lanes side by side read are in one pair of banks, and wait for each other.
static __global__ __launch_bounds__(SIDE *SIDE) void syr2k(int n, int p, int q, const double *a,
                                                           const double *b, double *c)
{
    __shared__ tile a_k, a_l, b_k, b_l;
    const int x = threadIdx.x, y = threadIdx.y;
    const int2 first = corner(n, SIDE);
    if (first.y > first.x)
        return;
    double sum = 0.0;
    for (int i0 = 0; i0 < p; i0 += TILE_I)
        for (int j0 = 0; j0 < q; j0 += TILE_J) {
            load(a_k, a, first.y, n, p, q, i0, j0, x, y);
            load(b_k, b, first.y, n, p, q, i0, j0, x, y);
            load(a_l, a, first.x, n, p, q, i0, j0, x, y);
            load(b_l, b, first.x, n, p, q, i0, j0, x, y);
            __syncthreads(); // all threads have written the tiles
            for (int i = 0; i < TILE_I * TILE_J; ++i)
                sum += a_l.row[x][i] * b_k.row[y][i] + a_k.row[y][i] * b_l.row[x][i];
            __syncthreads(); // all have read the tiles: only now may the next ones overwrite them
        }
    const int k = first.y + y, l = first.x + x;
    if (k <= l && l < n)
        c[(size_t)k * n + l] = 0.5 * sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int blocks = tiles(p->n, SIDE) * tiles(p->n, SIDE);
    syr2k<<<blocks, dim3(SIDE, SIDE), 0, stream>>>(p->n, p->p, p->q, p->a, p->b, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"tile", launch});
