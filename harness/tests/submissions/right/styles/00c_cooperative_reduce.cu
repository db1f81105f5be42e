// expect: ok
// The sum of a warp by cooperative_groups::reduce; a kernel of its own clears the result.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "families/reduction.h"

using namespace cooperative_groups;

__global__ void clear(float *sum)
{
    *sum = 0.0f;
}

__global__ void reduce_all(int n, const float *x, float *sum)
{
    __shared__ float parts[32];
    thread_block block = this_thread_block();
    auto warp = tiled_partition<32>(block);
    float own = 0.0f;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x)
        own += x[i];
    own = reduce(warp, own, plus<float>());
    if (warp.thread_rank() == 0)
        parts[warp.meta_group_rank()] = own;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        own = reduce(warp,
                     warp.thread_rank() < warp.meta_group_size() ? parts[warp.thread_rank()] : 0.0f,
                     plus<float>());
        if (warp.thread_rank() == 0)
            atomicAdd(sum, own);
    }
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    const int threads = 256, blocks = (p->n - 1) / threads + 1;
    const int most = 8 * lab_device_attribute(cudaDevAttrMultiProcessorCount);
    clear<<<1, 1, 0, stream>>>(p->sum);
    const int enough = blocks < most ? blocks : most;
    reduce_all<<<enough, threads, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"warp_sums", launch});
