// expect: race
// run: step00a -n 5000
// says: cp.async.bulk.wait_group
// A stage is filled again while the copy out of it may still read: the wait leaves one group too
// many.
#include "families/copy.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int T = 32, TILE = 256, STAGES = 3, BLOCKS = 4;

static __global__ void copy(int n, const float *from, float *to)
{
    __shared__ alignas(16) float stages[STAGES][TILE];
    __shared__ uint64_t full[STAGES];
    const int whole = n / 4 * 4;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s)
            ptx::mbarrier_init(&full[s], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        int round = 0;
        for (int start = blockIdx.x * TILE; start < whole; start += BLOCKS * TILE, ++round) {
            const int s = round % STAGES, bytes = 4 * min(TILE, whole - start);
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<STAGES>());
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full[s], bytes);
            ptx::cp_async_bulk(ptx::space_cluster, // BUG
                               ptx::space_global, stages[s], from + start, bytes, &full[s]);
            while (!ptx::mbarrier_try_wait_parity(&full[s], round / STAGES % 2))
                ;
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to + start, stages[s], bytes);
            ptx::cp_async_bulk_commit_group();
        }
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    if (blockIdx.x == 0 && whole + threadIdx.x < n)
        to[whole + threadIdx.x] = from[whole + threadIdx.x];
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    copy<<<BLOCKS, T, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"copied_stage_filled_too_soon", launch});
