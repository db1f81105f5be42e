// run: step00c
// A sum for each warp, and the last block adds them up. The warps of a block count themselves in
// shared memory, each behind a fence, and the one that finds itself to be the last one counts the
// block: no barrier is needed between the sums and the count.
#include "families/reduction.h"

constexpr int THREADS = 256, WARPS = THREADS / 32, BLOCKS = 6;

// The sum of a warp's 32 values, in its lane 0.
static __device__ float sum_of_warp(float own)
{
    for (int apart = 16; apart > 0; apart /= 2)
        own += __shfl_down_sync(0xFFFFFFFF, own, apart);
    return own;
}

static __global__ void reduce(int n, const float *x, float *sums, unsigned *finished, float *sum)
{
    __shared__ unsigned warps;
    __shared__ bool is_last;
    if (threadIdx.x == 0)
        warps = 0;
    __syncthreads();
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    float own = 0.0f;
    for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < n; i += BLOCKS * THREADS)
        own += x[i];
    own = sum_of_warp(own);
    if (lane == 0)
        sums[blockIdx.x * WARPS + warp] = own;
    if (lane == 0) {
        __threadfence();
        if (atomicAdd(&warps, 1u) == WARPS - 1) {
            __threadfence();
            is_last = atomicAdd(finished, 1u) == BLOCKS - 1;
        }
    }
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    if (threadIdx.x >= 32)
        return;
    own = 0.0f;
    for (int i = lane; i < BLOCKS * WARPS; i += 32)
        own += sums[i];
    own = sum_of_warp(own);
    if (lane == 0)
        *sum = own;
}

static size_t workspace(const struct lab_reduction *)
{
    return sizeof(unsigned) + (size_t)BLOCKS * WARPS * sizeof(float);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    unsigned *const finished = (unsigned *)p->workspace;
    cudaMemsetAsync(finished, 0, sizeof *finished, stream);
    reduce<<<BLOCKS, THREADS, 0, stream>>>(p->n, p->x, (float *)(finished + 1), finished, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"in_shared", launch, workspace});
