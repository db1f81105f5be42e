// expect: race
// on a GPU: ok
// run: step00c -n 5000
// says: a __threadfence() orders the accesses of its own thread alone
// A sum for each warp, and the last block adds them up. The last warp of a block counts the block;
// that it comes last among the warps is a hope.
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
    __shared__ bool is_last;
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    float own = 0.0f;
    for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < n; i += BLOCKS * THREADS)
        own += x[i];
    own = sum_of_warp(own);
    if (lane == 0)
        sums[blockIdx.x * WARPS + warp] = own;
    __threadfence();
    if (threadIdx.x == THREADS - 1)
        is_last = atomicInc(finished, BLOCKS - 1) == BLOCKS - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    if (threadIdx.x >= 32)
        return;
    own = 0.0f;
    for (int i = lane; i < BLOCKS * WARPS; i += 32)
        own += sums[i]; // BUG
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

LAB_EXPORT(reduction, {"one_warp", launch, workspace});
