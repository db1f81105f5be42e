// expect: race
// run: step00c -n 1000
// says: so that changes get lost
// A float is added by taking the sum out and putting it back: what another block put in meanwhile
// is thrown away.
#include "families/reduction.h"

constexpr int THREADS = 256;

// The sum over the block, the same in all threads.
static __device__ float block_sum(float own)
{
    __shared__ float part[THREADS / 32];
    for (int apart = 16; apart > 0; apart /= 2)
        own += __shfl_down_sync(0xFFFFFFFF, own, apart);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads(); // all warps' sums are there
    float sum = 0.0f;
    for (int warp = 0; warp < THREADS / 32; ++warp)
        sum += part[warp];
    __syncthreads(); // and read by all: the next call may overwrite them
    return sum;
}

static __global__ __launch_bounds__(THREADS) void reduce(int n, const float *__restrict__ x,
                                                         float *sum)
{
    float own = 0.0f;
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (long long)gridDim.x * THREADS)
        own += x[i];
    const float of_block = block_sum(own);
    if (threadIdx.x == 0) {
        const float taken = atomicExch(sum, 0.0f); // the sum is ours now
        atomicExch(sum, taken + of_block);         // BUG
    }
}

static int blocks_for(int n)
{
    const int needed = (n - 1) / THREADS + 1;
    return needed < 512 ? needed : 512;
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    const cudaError_t cleared = cudaMemsetAsync(p->sum, 0, sizeof(float), stream);
    if (cleared != cudaSuccess)
        return cleared;
    reduce<<<blocks_for(p->n), THREADS, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"exchange", launch});
