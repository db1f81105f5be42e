// expect: ok
// Cooperative groups: the block's barrier, its ranks, a tiled partition.
#include <cooperative_groups.h>
#include "families/gemm.h"

namespace cg = cooperative_groups;
constexpr int TILE = 16;

__global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                     float *c)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<TILE> line = cg::tiled_partition<TILE>(block);
    const int tx = line.thread_rank(), ty = line.meta_group_rank();
    const int row = block.group_index().y * TILE + ty, col = block.group_index().x * TILE + tx;

    float sum = 0.0f;
    for (int first_k = 0; first_k < k; first_k += TILE) {
        a_tile[ty][tx] = row < m && first_k + tx < k ? a[(size_t)row * k + first_k + tx] : 0.0f;
        b_tile[ty][tx] = first_k + ty < k && col < n ? b[(size_t)(first_k + ty) * n + col] : 0.0f;
        block.sync();
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        block.sync();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] =
            alpha * sum + (beta == 0.0f ? 0.0f : beta * c[(size_t)row * n + col]);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE);
    gemm<<<grid, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"guarded", launch});
