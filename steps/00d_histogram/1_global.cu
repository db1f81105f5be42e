// Warm-up, histogram: a thread for each key, which counts it in memory. Threads with the same key
// add to the same word, one after another, and half of the keys are 0.
#include "families/histogram.h"

constexpr int BINS = LAB_HISTOGRAM_BINS;
constexpr int THREADS = 256; // per block

static __global__ __launch_bounds__(THREADS) void histogram(int n, const int *__restrict__ keys,
                                                            int *__restrict__ counts)
{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) // the last block may hang over the end
        atomicAdd(&counts[keys[i]], 1);
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

LAB_EXPORT(histogram, {"global", launch});
