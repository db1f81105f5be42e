// expect: race
// run: step00a -n 1000
// says: cp.async.bulk.wait_group without .read
// The wait is for the source of a bulk copy, and then the thread that has copied reads its target.
#include "families/copy.h"
#include "ptx/mbarrier.h"

constexpr int T = 128, PIECE = 1024; // threads, elements

// A bulk copy stores a piece in scratch memory, and its thread reads it there.
static __global__ void copy(int n, const float *from, float *to, float *scratch)
{
    __shared__ __align__(128) float tile[PIECE];
    const int first = (int)blockIdx.x * PIECE, count = min(PIECE, n - first);
    float *const piece = scratch + first;
    for (int i = (int)threadIdx.x; i < PIECE; i += T)
        tile[i] = i < count ? from[first + i] : 0.0f;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(piece),
                     "r"(ptx_shared_address(tile)), "r"((int)sizeof tile)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    if (threadIdx.x == 0)
        for (int i = 0; i < count; ++i)
            to[first + i] = piece[i]; // BUG
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

LAB_EXPORT(copy, {"scratch_read_back_by_one", launch, workspace});
