// Step 09.2: tiles of 8 rows of A and of B in shared memory. A thread still has a column, but sums
// 8 rows of it at a time: each element of B that it reads from global memory now serves 8 rows, and
// each one of A all 64 columns of the block.
#include "families/trmm.h"

constexpr int COLUMNS = 64; // threads of a block, a column each
constexpr int TILE = 8; // rows of B that a thread sums at a time, and rows of B in shared memory
static_assert(TILE * TILE == COLUMNS, "each thread loads one element of A");

// Loads A[row .. row + 7][k .. k + 7] and B[k .. k + 7][this block's columns]. Below the diagonal A
// is not read: what stands there is not part of the problem. Zeros take its place, and that of rows
// and columns that do not exist: they add nothing to a sum, so edges need no other care. Offsets
// are size_t: n * m may pass 2^31.
static __device__ __forceinline__ void load(int n, int m, const double *a, const double *b, int row,
                                            int k, int column, double (&a_tile)[TILE][TILE],
                                            double (&b_tile)[TILE][COLUMNS])
{
    const int a_row = row + (int)threadIdx.x / TILE;
    const int a_column = k + (int)threadIdx.x % TILE;
    const bool is_there = a_row < n && a_column < n && a_column >= a_row;
    a_tile[threadIdx.x / TILE][threadIdx.x % TILE] =
        is_there ? a[(size_t)a_row * n + a_column] : 0.0;
    for (int i = 0; i < TILE; ++i)
        b_tile[i][threadIdx.x] = k + i < n && column < m ? b[(size_t)(k + i) * m + column] : 0.0;
}

// Adds a thread's sums to its rows of B. All of them are rows of the tile on the diagonal, which
// was read first: rows further down, which are still needed as they are, stay.
static __device__ __forceinline__ void add_to(double *b, int n, int m, int row, int column,
                                              const double (&sum)[TILE])
{
    for (int r = 0; r < TILE; ++r)
        if (row + r < n && column < m)
            b[(size_t)(row + r) * m + column] += sum[r];
}

// One loop for all tiles. Only in the first, on the diagonal, do some elements not count, but every
// multiply-add asks.
static __global__ __launch_bounds__(COLUMNS) void trmm(int n, int m, const double *a, double *b)
{
    __shared__ double a_tile[TILE][TILE];    // (rows of B, k)
    __shared__ double b_tile[TILE][COLUMNS]; // (k, columns of B)
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    for (int row = 0; row < n; row += TILE) {
        double sum[TILE] = {}; // in registers: every index below is known when compiling
        for (int k = row; k < n; k += TILE) { // from the diagonal on
            load(n, m, a, b, row, k, column, a_tile, b_tile);
            __syncthreads(); // all threads have written both tiles
#pragma unroll
            for (int r = 0; r < TILE; ++r)
#pragma unroll
                for (int i = 0; i < TILE; ++i)
                    if (k + i >= row + r) // not to the left of the diagonal
                        sum[r] += a_tile[r][i] * b_tile[i][threadIdx.x];
            __syncthreads(); // and all are done with them before they are overwritten
        }
        add_to(b, n, m, row, column, sum);
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / COLUMNS + 1, COLUMNS, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"shared_ab", launch});
