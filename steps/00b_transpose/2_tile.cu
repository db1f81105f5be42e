// Warm-up, transpose: a block turns a tile round in shared memory. A warp reads a row of the tile
// of A and writes a row of the tile of B, so that neighbours stay side by side in both.
#include "families/transpose.h"

constexpr int SIDE = 32; // of a tile: rows and columns of A per block
constexpr int ROWS = 8;  // threads in y; each takes SIDE / ROWS rows

static __global__ __launch_bounds__(SIDE *ROWS) void transpose(int m, int n,
                                                               const float *__restrict__ a,
                                                               float *__restrict__ b)
{
    __shared__ float tile[SIDE][SIDE];     // (rows of A, columns of A)
    const int across = (n - 1) / SIDE + 1; // tiles in a row of A
    const int first_row = (int)(blockIdx.x / across) * SIDE;
    const int first_col = (int)(blockIdx.x % across) * SIDE;
    for (int y = threadIdx.y; y < SIDE; y += ROWS) {
        const int row = first_row + y, col = first_col + (int)threadIdx.x;
        if (row < m && col < n) // tiles may hang over the edges
            tile[y][threadIdx.x] = a[(size_t)row * n + col];
    }
    __syncthreads(); // all threads have written the tile
    for (int y = threadIdx.y; y < SIDE; y += ROWS) {
        const int row = first_row + (int)threadIdx.x, col = first_col + y;
        if (row < m && col < n) // a column of the tile is a row of B
            b[(size_t)col * m + row] = tile[threadIdx.x][y];
    }
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    // one dimension: a grid has at most 65535 blocks in y
    const int blocks = ((p->m - 1) / SIDE + 1) * ((p->n - 1) / SIDE + 1);
    transpose<<<blocks, dim3(SIDE, ROWS), 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"tile", launch});
