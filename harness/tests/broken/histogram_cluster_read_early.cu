// expect: race
// run: step00d -n 3000
// says: cluster.sync()
// A block takes its counts while others still count.
#include "families/histogram.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int T = 64, CLUSTER = 4, BLOCKS = 8, OWN = LAB_HISTOGRAM_BINS / CLUSTER;

static __global__ void __cluster_dims__(CLUSTER) count(int n, const int *keys, int *counts)
{
    __shared__ int bins[OWN];
    const cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < OWN; i += T)
        bins[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T)
        atomicAdd(cluster.map_shared_rank(&bins[keys[i] % OWN], keys[i] / OWN), 1);
    __syncthreads();
    for (int i = threadIdx.x; i < OWN; i += T)
        atomicAdd(&counts[cluster.block_rank() * OWN + i], bins[i]); // BUG
    cluster.sync();
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->counts, 0, LAB_HISTOGRAM_BINS * sizeof *p->counts, stream);
    count<<<BLOCKS, T, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"histogram_cluster_read_early", launch});
