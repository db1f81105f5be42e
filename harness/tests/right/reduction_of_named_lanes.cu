// run: step00c
// Lanes sum up after a branch, with a mask that names them all. Those that add to the count of a
// warp's positive elements ask who they are, so that it is right whichever come.
#include "families/reduction.h"

static __global__ void reduce(int n, const float *__restrict__ x, float *sum, unsigned *positive)
{
    const unsigned lane = threadIdx.x % 32;
    for (long long i = (long long)blockIdx.x * 256 + threadIdx.x; i - lane < n;
         i += (long long)gridDim.x * 256) {
        float own = i < n ? x[i] : 0.0f;
        if (own > 0.0f) {
            const unsigned active = __activemask();
            const int leader = __ffs(active) - 1;
            unsigned before = 0;
            if (lane == leader)
                before = atomicAdd(positive, __popc(active));
            before = __shfl_sync(active, before, leader);
            own = before < 0xFFFFFFFF ? own : 0.0f;
        }
        for (int apart = 16; apart > 0; apart /= 2)
            own += __shfl_down_sync(0xFFFFFFFF, own, apart);
        if (lane == 0)
            atomicAdd(sum, own);
    }
}

static size_t workspace(const struct lab_reduction *)
{
    return sizeof(unsigned);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->sum, 0, sizeof(float), stream);
    cudaMemsetAsync(p->workspace, 0, sizeof(unsigned), stream);
    reduce<<<8, 256, 0, stream>>>(p->n, p->x, p->sum, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"named_lanes", launch, workspace});
