// expect: ok
// Each thread takes an element of B from a column of A: without a tile.
#include "families/transpose.h"

constexpr int SIDE = 32; // of a tile: rows and columns of A per block
constexpr int ROWS = 8;  // threads in y; each takes SIDE / ROWS rows

// Where column `col` of row `row` of the tile lies in that row; of the 32 columns each has a place
// of its own.
static __device__ __forceinline__ int place(int row, int col)
{
    // BEGIN SOLUTION: an order that differs from row to row: element (row, col) in which column?
    return col ^ row;
    //| return col;
    // END SOLUTION
}

static __global__ __launch_bounds__(SIDE *ROWS) void transpose(int m, int n,
                                                               const float *__restrict__ a,
                                                               float *__restrict__ b)
{
    const size_t t = (size_t)blockIdx.x * (SIDE * ROWS) + threadIdx.y * SIDE + threadIdx.x;
    for (size_t e = t; e < (size_t)m * n; e += (size_t)gridDim.x * SIDE * ROWS)
        b[e] = a[e % m * n + e / m];
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    // one dimension: a grid has at most 65535 blocks in y
    const int blocks = ((p->m - 1) / SIDE + 1) * ((p->n - 1) / SIDE + 1);
    transpose<<<blocks, dim3(SIDE, ROWS), 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"swizzled", launch});
