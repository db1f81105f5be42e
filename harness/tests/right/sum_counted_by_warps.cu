// run: step00c
// A sum for each warp, each of which counts itself behind a fence; the block of the last one adds
// them up. A ticket that thread 0 draws meanwhile tells others nothing.
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
    __shared__ unsigned counted[WARPS], tickets;
    if (threadIdx.x == 0)
        tickets = 0;
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    float own = 0.0f;
    for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < n; i += BLOCKS * THREADS)
        own += x[i];
    own = sum_of_warp(own);
    if (lane == 0)
        sums[blockIdx.x * WARPS + warp] = own;
    if (threadIdx.x == 0)
        atomicAdd(&tickets, 1u);
    if (lane == 0) {
        __threadfence();
        counted[warp] = atomicAdd(finished, 1u);
    }
    __syncthreads();
    bool is_last = false;
    for (int i = 0; i < WARPS; ++i)
        is_last = is_last || counted[i] == BLOCKS * WARPS - 1;
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

LAB_EXPORT(reduction, {"by_warps", launch, workspace});
