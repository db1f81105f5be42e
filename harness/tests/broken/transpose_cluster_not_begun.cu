// expect: race
// run: step00b -m 50 -n 70
// says: may not have begun
// A block writes into another one that may not have begun.
#include "families/transpose.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int TILE = 16;

static __global__ void __cluster_dims__(2) transpose(int m, int n, const float *a, float *b)
{
    __shared__ float tile[TILE][TILE + 1];
    cg::cluster_group cluster = cg::this_cluster();
    const int x = threadIdx.x, y = threadIdx.y, other = cluster.block_rank() ^ 1;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    if (row < m && column < n)
        *cluster.map_shared_rank(&tile[x][y], other) = a[(size_t)row * n + column]; // BUG
    cluster.sync();
    const int to_row = (blockIdx.x ^ 1) * TILE + y, to_column = blockIdx.y * TILE + x;
    if (to_row < n && to_column < m)
        b[(size_t)to_row * m + to_column] = tile[y][x];
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    const int columns = (p->n + 2 * TILE - 1) / (2 * TILE) * 2, rows = (p->m + TILE - 1) / TILE;
    transpose<<<dim3(columns, rows), dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"transpose_cluster_not_begun", launch});
