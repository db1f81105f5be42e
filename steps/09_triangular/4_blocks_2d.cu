// Step 09.4: a block is 32 x 32 threads, one for each element of a tile of B. It still takes its
// columns from the top down, now 32 rows at a time, but with 32 warps in place of 2: while some
// wait for memory, others have something to do. Both tiles are read 32 times.
#include "families/trmm.h"

constexpr int SIDE = 32; // a block is SIDE x SIDE threads and takes SIDE columns

// The sum of a thread's element: the tile on the diagonal, from row `first` on, then the rectangle
// beside it. Below the diagonal A is not read. A warp is one row of the tile: its threads read the
// same element of a_tile, and 32 neighbours of b_tile, which are 2 wavefronts.
static __device__ __forceinline__ double sum_of(int n, int m, const double *a, const double *b,
                                                int first, int column, int ty, int tx)
{
    __shared__ double a_tile[SIDE][SIDE]; // (rows of B, k)
    __shared__ double b_tile[SIDE][SIDE]; // (k, columns of B)
    const int row = first + ty;
    const bool is_row = row < n, is_column = column < m;
    double sum = 0.0;
    a_tile[ty][tx] = is_row && first + tx < n && tx >= ty ? a[(size_t)row * n + first + tx] : 0.0;
    b_tile[ty][tx] = is_row && is_column ? b[(size_t)row * m + column] : 0.0;
    __syncthreads();
    for (int i = ty; i < SIDE; ++i) // the triangle
        sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();
    for (int k = first + SIDE; k < n; k += SIDE) { // the rectangle beside it
        a_tile[ty][tx] = is_row && k + tx < n ? a[(size_t)row * n + k + tx] : 0.0;
        b_tile[ty][tx] = k + ty < n && is_column ? b[(size_t)(k + ty) * m + column] : 0.0;
        __syncthreads(); // all threads have written both tiles
#pragma unroll
        for (int i = 0; i < SIDE; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads(); // and all are done with them before they are overwritten
    }
    return sum;
}

static __global__ __launch_bounds__(SIDE *SIDE) void trmm(int n, int m, const double *a, double *b)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int column = (int)blockIdx.x * SIDE + tx;
    for (int first = 0; first < n; first += SIDE) {
        const double sum = sum_of(n, m, a, b, first, column, ty, tx);
        // The tile on the diagonal was read by all before its barrier: its rows may change now.
        if (first + ty < n && column < m)
            b[(size_t)(first + ty) * m + column] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    const dim3 threads(SIDE, SIDE);
    trmm<<<(p->m - 1) / SIDE + 1, threads, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"blocks_2d", launch});
