// Warm-up, sum: a thread for each element, which adds it to the sum in memory. The additions to one
// word must come one after another, however many threads there are.
#include "families/reduction.h"

constexpr int THREADS = 256; // per block

static __global__ __launch_bounds__(THREADS) void reduce(int n, const float *__restrict__ x,
                                                         float *__restrict__ sum)
{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)                // the last block may hang over the end
        atomicAdd(sum, x[i]); // no other thread comes between reading and writing it
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    // all blocks add to it: it must be 0 before
    const cudaError_t cleared = cudaMemsetAsync(p->sum, 0, sizeof *p->sum, stream);
    if (cleared != cudaSuccess)
        return cleared;
    const int blocks = (p->n - 1) / THREADS + 1; // a thread for each element
    reduce<<<blocks, THREADS, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"atomics", launch});
