// Warm-up, transpose: a thread for each element. A warp reads neighbours in a row of A, and writes
// them into a column of B, where neighbours lie a whole row apart.
#include "families/transpose.h"

constexpr int SIDE = 32; // columns of A per block, one for each lane of a warp
constexpr int ROWS = 8;  // threads in y; each takes SIDE / ROWS rows

static __global__ __launch_bounds__(SIDE *ROWS) void transpose(int m, int n,
                                                               const float *__restrict__ a,
                                                               float *__restrict__ b)
{
    const int across = (n - 1) / SIDE + 1; // tiles in a row of A
    const int first_row = (int)(blockIdx.x / across) * SIDE;
    const int first_col = (int)(blockIdx.x % across) * SIDE;
    const int col = first_col + (int)threadIdx.x;
    for (int y = threadIdx.y; y < SIDE; y += ROWS) {
        const int row = first_row + y;
        if (row < m && col < n) // tiles may hang over the edges
            b[(size_t)col * m + row] = a[(size_t)row * n + col];
    }
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    // one dimension: a grid has at most 65535 blocks in y
    const int blocks = ((p->m - 1) / SIDE + 1) * ((p->n - 1) / SIDE + 1);
    transpose<<<blocks, dim3(SIDE, ROWS), 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"naive", launch});
