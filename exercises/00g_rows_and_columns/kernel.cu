// Exercise 00g: B = A', a thread for each element of A. Blocks and threads have two dimensions:
// which row and which column does a thread take?
#include "families/transpose.h"

constexpr int ACROSS = 32; // threads of a block in x, along a row of A
constexpr int DOWN = 8;    // threads of a block in y

static __global__ __launch_bounds__(ACROSS *DOWN) void transpose(int m, int n,
                                                                 const float *__restrict__ a,
                                                                 float *__restrict__ b)
{
    const int blocks_across = (n - 1) / ACROSS + 1; // blockIdx.x counts blocks row by row
    // TODO: row and column of this thread, from blockIdx.x, threadIdx.x and threadIdx.y
    const int row = (int)threadIdx.y;
    const int col = (int)blockIdx.x % blocks_across;
    if (row < m && col < n) {
        // TODO: element (row, col) of A, (m, n), becomes element (col, row) of B, (n, m)
    }
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / DOWN + 1) * ((p->n - 1) / ACROSS + 1);
    transpose<<<blocks, dim3(ACROSS, DOWN), 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"by_element", launch});
