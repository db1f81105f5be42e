// Warm-up, histogram: a block counts its keys in shared memory first, and then adds its 256 counts
// to those in memory. It has 256 keys alone, so that is hardly less to add.
#include "families/histogram.h"

constexpr int BINS = LAB_HISTOGRAM_BINS;
constexpr int THREADS = 256; // per block

static __global__ __launch_bounds__(THREADS) void histogram(int n, const int *__restrict__ keys,
                                                            int *__restrict__ counts)
{
    __shared__ int own[BINS]; // the block's counts
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS)
        own[bin] = 0;
    __syncthreads(); // all are 0 before anyone counts
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) // the last block may hang over the end
        atomicAdd(&own[keys[i]], 1);
    __syncthreads(); // all have counted: only now are the block's counts complete
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS)
        if (own[bin] != 0)
            atomicAdd(&counts[bin], own[bin]);
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    // all blocks add to them: they must be 0 before
    const cudaError_t cleared = cudaMemsetAsync(p->counts, 0, BINS * sizeof(int), stream);
    if (cleared != cudaSuccess)
        return cleared;
    const int blocks = (p->n - 1) / THREADS + 1; // a thread for each key
    histogram<<<blocks, THREADS, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"shared", launch});
