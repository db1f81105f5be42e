// run: step00a
// Ordinary stores to global memory, a fence, and a bulk copy that reads them.
#include "families/copy.h"
#include "ptx/mbarrier.h"

constexpr int T = 128, PIECE = 1024; // threads, elements

// A block stores its piece in scratch memory, and a bulk copy fetches it.
static __global__ void copy(int n, const float *from, float *to, float *scratch)
{
    __shared__ __align__(128) float tile[PIECE];
    __shared__ uint64_t full;
    const int first = (int)blockIdx.x * PIECE, count = min(PIECE, n - first);
    float *const piece = scratch + first;
    if (threadIdx.x == 0) {
        ptx_mbarrier_make(&full, 1);
        ptx_mbarriers_made();
    }
    for (int i = (int)threadIdx.x; i < PIECE; i += T)
        piece[i] = i < count ? from[first + i] : 0.0f;
    asm volatile("fence.proxy.async.global;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx_mbarrier_arrive_expecting(&full, sizeof tile);
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
            "%2, [%3];" ::"r"(ptx_shared_address(tile)),
            "l"(piece), "r"((int)sizeof tile), "r"(ptx_shared_address(&full))
            : "memory");
    }
    ptx_mbarrier_wait(&full, 0);
    for (int i = (int)threadIdx.x; i < count; i += T)
        to[first + i] = tile[i];
}

static int blocks_of(const struct lab_copy *p)
{
    return (p->n - 1) / PIECE + 1;
}

static size_t workspace(const struct lab_copy *p)
{
    return (size_t)blocks_of(p) * PIECE * sizeof(float);
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    copy<<<blocks_of(p), T, 0, stream>>>(p->n, p->from, p->to, (float *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"scratch_fetched_in_bulk", launch, workspace});
