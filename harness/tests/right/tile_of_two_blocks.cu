// run: step02
// Two blocks of a cluster load half of the tile of A each, and read the other half from each other.
#include "families/gemm.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int TILE = 16, HALF = TILE / 2;

static __global__ void __cluster_dims__(2) gemm(const struct lab_gemm p)
{
    __shared__ float tile_a[TILE][HALF], tile_b[TILE][TILE];
    const cg::cluster_group cluster = cg::this_cluster();
    const int x = threadIdx.x, y = threadIdx.y, rank = (int)cluster.block_rank();
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int start = 0; start < p.k; start += TILE) {
        const int own = start + rank * HALF + x;
        if (x < HALF)
            tile_a[y][x] = row < p.m && own < p.k ? p.a[(size_t)row * p.k + own] : 0.0f;
        tile_b[y][x] =
            start + y < p.k && column < p.n ? p.b[(size_t)(start + y) * p.n + column] : 0.0f;
        cluster.sync();
        for (int i = 0; i < TILE; ++i)
            sum += *cluster.map_shared_rank(&tile_a[y][i % HALF], i / HALF) * tile_b[i][x];
        cluster.sync();
    }
    if (row < p.m && column < p.n) {
        float *const c = &p.c[(size_t)row * p.n + column];
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int columns = (p->n + 2 * TILE - 1) / (2 * TILE) * 2, rows = (p->m + TILE - 1) / TILE;
    gemm<<<dim3(columns, rows), dim3(TILE, TILE), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"tile_of_two_blocks", launch});
