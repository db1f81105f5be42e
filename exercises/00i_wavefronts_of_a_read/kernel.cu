// Exercise 00i: how many wavefronts does a read of shared memory take? A block transposes a tile of
// 32 x 32 elements, which a warp writes row by row and reads column by column. Shared memory has 32
// banks of 4 bytes; lanes that read different words of one bank take turns.
//
// Find the least length of a row, 32 or more, with which each read takes 4 wavefronts.
#include "families/transpose.h"

constexpr int SIDE = 32;
constexpr int ROWS = 8; // threads in y; each takes SIDE / ROWS rows
// TODO: in which banks do the 32 elements of a column lie?
constexpr int LENGTH = 32; // of a row in shared memory

static __global__ __launch_bounds__(SIDE *ROWS) void transpose(int m, int n,
                                                               const float *__restrict__ a,
                                                               float *__restrict__ b)
{
    __shared__ float tile[SIDE][LENGTH];
    const int across = (n - 1) / SIDE + 1; // tiles in a row of A
    const int first_row = (int)(blockIdx.x / across) * SIDE;
    const int first_col = (int)(blockIdx.x % across) * SIDE;
    const int x = (int)threadIdx.x;
    for (int y = (int)threadIdx.y; y < SIDE; y += ROWS)
        if (first_row + y < m && first_col + x < n)
            tile[y][x] = a[(size_t)(first_row + y) * n + first_col + x];
    __syncthreads(); // the whole tile was written
    for (int y = (int)threadIdx.y; y < SIDE; y += ROWS)
        if (first_col + y < n && first_row + x < m)
            b[(size_t)(first_col + y) * m + first_row + x] = tile[x][y];
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / SIDE + 1) * ((p->n - 1) / SIDE + 1);
    transpose<<<blocks, dim3(SIDE, ROWS), 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"length", launch});
