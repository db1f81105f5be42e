// expect: divergent_barrier
// run: step00c -n 1021
// says: all lanes that it names must come to it: move it out of the branch
// says: with a value of theirs that changes nothing, such as 0 in a sum
// The parts of the warps are fewer than the lanes, and only as many come to the second shuffles.
#include "families/reduction.h"

constexpr int THREADS = 256, WARPS = THREADS / 32;

static __device__ float warp_sum(float part)
{
    for (int apart = 16; apart > 0; apart /= 2)
        part += __shfl_down_sync(0xFFFFFFFF, part, apart); // BUG
    return part;
}

static __global__ void reduce(int n, const float *x, float *sum)
{
    __shared__ float part[WARPS];
    const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    float own = warp_sum(i < n ? x[i] : 0.0f);
    if (t % 32 == 0)
        part[t / 32] = own;
    __syncthreads();
    if (t < WARPS)
        own = warp_sum(part[t]);
    __syncwarp();
    if (t == 0)
        atomicAdd(sum, own);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    const cudaError_t cleared = cudaMemsetAsync(p->sum, 0, sizeof *p->sum, stream);
    if (cleared != cudaSuccess)
        return cleared;
    reduce<<<(p->n - 1) / THREADS + 1, THREADS, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"sum_of_a_branch", launch});
