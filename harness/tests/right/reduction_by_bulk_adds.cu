// run: step00c
// Blocks add their four sums to those in global memory by one bulk reduction; four lanes finish.
#include "families/reduction.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int T = 64, SUMS = 4, BLOCKS = 6;

static __global__ void reduce(int n, const float *x, float *sums)
{
    __shared__ float tree[T];
    __shared__ alignas(16) float own[SUMS];
    float s = 0.0f;
    for (int i = blockIdx.x * T + threadIdx.x; i < n; i += BLOCKS * T)
        s += x[i];
    tree[threadIdx.x] = s;
    __syncthreads();
    for (int half = T / 2; half > SUMS; half /= 2) {
        if (threadIdx.x < half)
            tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x < SUMS) {
        own[threadIdx.x] = tree[threadIdx.x] + tree[threadIdx.x + SUMS];
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, own,
                                  sizeof own);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

static __global__ void finish(const float *sums, float *sum)
{
    *sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static size_t workspace(const struct lab_reduction *)
{
    return SUMS * sizeof(float);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    float *const sums = (float *)p->workspace;
    cudaMemsetAsync(sums, 0, SUMS * sizeof *sums, stream);
    reduce<<<BLOCKS, T, 0, stream>>>(p->n, p->x, sums);
    finish<<<1, 1, 0, stream>>>(sums, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"reduction_by_bulk_adds", launch, workspace});
