// Exercise 11: B <- B + tril(A) B in double precision, in place. Step 09 did the upper triangle,
// from the top down: row i takes rows i and below. Here row i takes rows i and above.
#include "families/trmm.h"

constexpr int COLUMNS = 64; // threads of a block, a column each
constexpr int TILE = 8;     // rows of B that a thread sums at a time

// Loads A[row .. row + 7][k .. k + 7] and B[k .. k + 7][this block's columns]. Above the diagonal A
// is not read: what stands there is none of the problem. Zeros take its place.
static __device__ __forceinline__ void load(int n, int m, const double *a, const double *b, int row,
                                            int k, int column, double (&a_tile)[TILE][TILE],
                                            double (&b_tile)[TILE][COLUMNS])
{
    const int a_row = row + (int)threadIdx.x / TILE;
    const int a_column = k + (int)threadIdx.x % TILE;
    // TODO: which elements of A may be read?
    const bool is_there = a_row < n && a_column < a_row;
    a_tile[threadIdx.x / TILE][threadIdx.x % TILE] =
        is_there ? a[(size_t)a_row * n + a_column] : 0.0;
    for (int i = 0; i < TILE; ++i)
        b_tile[i][threadIdx.x] = k + i < n && column < m ? b[(size_t)(k + i) * m + column] : 0.0;
}

static __global__ __launch_bounds__(COLUMNS) void trmm(int n, int m, const double *a, double *b)
{
    __shared__ double a_tile[TILE][TILE];
    __shared__ double b_tile[TILE][COLUMNS];
    const int column = (int)blockIdx.x * COLUMNS + (int)threadIdx.x;
    // TODO: in which order may the tiles of rows be changed, so that none is needed later?
    const int first = 0;
    const int step = TILE;
    for (int row = first; row >= 0 && row < n; row += step) {
        double sum[TILE] = {};
        for (int k = 0; k < row; k += TILE) { // the rectangle beside the triangle
            load(n, m, a, b, row, k, column, a_tile, b_tile);
            __syncthreads(); // both tiles are complete
#pragma unroll
            for (int r = 0; r < TILE; ++r)
#pragma unroll
                for (int i = 0; i < TILE; ++i)
                    sum[r] += a_tile[r][i] * b_tile[i][threadIdx.x];
            __syncthreads(); // and read by all
        }
        load(n, m, a, b, row, row, column, a_tile, b_tile);
        __syncthreads();
        // TODO: the triangle: no product that is known to be 0
        __syncthreads();
        for (int r = 0; r < TILE; ++r)
            if (row + r < n && column < m)
                b[(size_t)(row + r) * m + column] += sum[r];
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / COLUMNS + 1, COLUMNS, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm_lower, {"lower_triangle", launch});
