// expect: uninitialized
// run: step00c -n 5000
// says: no mbarrier.init has made a barrier
// The barriers by which stages come back are not initialised.
#include "families/reduction.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int CONSUMERS = 64, T = CONSUMERS + 32, TILE = 128, STAGES = 2, BLOCKS = 4;

static __global__ void reduce(int n, const float *x, float *sum)
{
    __shared__ alignas(16) float stages[STAGES][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int rounds = n / TILE;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&full[s], 1);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        int turn = 0;
        for (int r = blockIdx.x; r < rounds && threadIdx.x == CONSUMERS; r += BLOCKS, ++turn) {
            const int s = turn % STAGES;
            if (turn >= STAGES)
                while (!ptx::mbarrier_try_wait_parity(&empty[s], (turn / STAGES - 1) % 2)) // BUG
                    ;
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full[s], 4 * TILE);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stages[s], x + r * TILE,
                               4 * TILE, &full[s]);
        }
        return;
    }
    float own = 0.0f;
    int turn = 0;
    for (int r = blockIdx.x; r < rounds; r += BLOCKS, ++turn) {
        const int s = turn % STAGES;
        while (!ptx::mbarrier_try_wait_parity(&full[s], turn / STAGES % 2))
            ;
        for (int i = threadIdx.x; i < TILE; i += CONSUMERS)
            own += stages[s][i];
        ptx::mbarrier_arrive(&empty[s]);
    }
    for (int i = rounds * TILE + blockIdx.x * CONSUMERS + threadIdx.x; i < n;
         i += BLOCKS * CONSUMERS)
        own += x[i];
    for (int lanes = 16; lanes > 0; lanes /= 2)
        own += __shfl_down_sync(~0u, own, lanes);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, own);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->sum, 0, sizeof *p->sum, stream);
    reduce<<<BLOCKS, T, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"reduction_barrier_not_initialised", launch});
