// expect: race
// run: step00c -n 1000
// says: may not have begun
// Only the block waits before the first one reads what the others add up.
#include "families/reduction.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int T = 64, CLUSTER = 4, BLOCKS = 8;

static __global__ void __cluster_dims__(CLUSTER) reduce(int n, const float *x, float *sum)
{
    __shared__ float tree[T];
    const cg::cluster_group cluster = cg::this_cluster();
    float s = 0.0f;
    for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T)
        s += x[i];
    tree[threadIdx.x] = s;
    __syncthreads();
    for (int half = T / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    __syncthreads();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        float all = 0.0f;
        for (int rank = 0; rank < CLUSTER; ++rank)
            all += *cluster.map_shared_rank(&tree[0], rank); // BUG
        atomicAdd(sum, all);
    }
    cluster.sync();
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->sum, 0, sizeof *p->sum, stream);
    reduce<<<BLOCKS, T, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"reduction_cluster_not_begun", launch});
