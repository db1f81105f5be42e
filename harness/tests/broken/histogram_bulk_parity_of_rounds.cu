// expect: timeout
// run: step00d -n 5000
// says: is the parity that of the wanted phase
// Each barrier has a phase in every other round; this parity is that of rounds.
#include "families/histogram.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int T = 64, TILE = 256, BINS = LAB_HISTOGRAM_BINS, BLOCKS = 4;

static __device__ void load(int *tile, const int *keys, uint64_t *full)
{
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full,
                                   4 * TILE);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, keys, 4 * TILE, full);
}

static __global__ void count(int n, const int *keys, int *counts)
{
    __shared__ alignas(16) int tiles[2][TILE], bins[BINS];
    __shared__ uint64_t full[2];
    const int whole = n / TILE * TILE, first = blockIdx.x * TILE, step = BLOCKS * TILE;
    for (int i = threadIdx.x; i < BINS; i += T)
        bins[i] = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full[0], 1);
        ptx::mbarrier_init(&full[1], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        if (first < whole)
            load(tiles[0], keys + first, &full[0]);
    }
    __syncthreads();
    int round = 0;
    for (int start = first; start < whole; start += step, ++round) {
        const int s = round % 2;
        if (threadIdx.x == 0 && start + step < whole)
            load(tiles[1 - s], keys + start + step, &full[1 - s]);
        while (!ptx::mbarrier_try_wait_parity(&full[s], round % 2)) // BUG
            ;
        for (int i = threadIdx.x; i < TILE; i += T)
            atomicAdd(&bins[tiles[s][i]], 1);
        __syncthreads();
    }
    for (int i = whole + blockIdx.x * T + threadIdx.x; i < n; i += BLOCKS * T)
        atomicAdd(&bins[keys[i]], 1);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, counts, bins,
                                  sizeof bins);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->counts, 0, BINS * sizeof *p->counts, stream);
    count<<<BLOCKS, T, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"histogram_bulk_parity_of_rounds", launch});
