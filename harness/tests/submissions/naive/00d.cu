// expect: ok
// One count for each bin: right, and lanes with the same key wait. A block counts thousands of
// keys, in a grid-stride loop, before it adds its 256 counts to those in memory.
#include "families/histogram.h"

constexpr int BINS = LAB_HISTOGRAM_BINS;
constexpr int THREADS = 256;     // per block
constexpr int BLOCKS_PER_SM = 8; // 2048 threads: as many as an SM holds

static __global__ __launch_bounds__(THREADS) void histogram(int n, const int *__restrict__ keys,
                                                            int *__restrict__ counts)
{
    __shared__ int own[BINS]; // the block's counts
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS)
        own[bin] = 0;
    __syncthreads();                                         // all are 0 before anyone counts
    const long long stride = (long long)gridDim.x * THREADS; // threads of the whole grid
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
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
    const int needed = (p->n - 1) / THREADS + 1; // blocks for a key per thread
    const int held = lab_device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM;
    const int blocks = held > 0 && held < needed ? held : needed; // few keys need fewer
    histogram<<<blocks, THREADS, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"naive", launch});
