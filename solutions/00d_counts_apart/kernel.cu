// Exercise 00d: a histogram of keys of which half are 0. A block keeps 32 counts of each bin, one
// for each lane of a warp, so that lanes with the same key do not wait for each other.
#include "families/histogram.h"

constexpr int BINS = LAB_HISTOGRAM_BINS;
constexpr int THREADS = 1024;    // per block
constexpr int BLOCKS_PER_SM = 2; // 32 KiB of counts each
constexpr int LANES = 32;        // counts of each bin

static __global__ __launch_bounds__(THREADS) void histogram(int n, const int *__restrict__ keys,
                                                            int *__restrict__ counts)
{
    __shared__ int own[BINS * LANES];                        // (bins, lanes): the block's counts
    const long long stride = (long long)gridDim.x * THREADS; // threads of the whole grid
    for (int i = threadIdx.x; i < BINS * LANES; i += THREADS)
        own[i] = 0;
    __syncthreads(); // all are 0 before anyone counts
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
        // BEGIN SOLUTION: count the key in this lane's own count of its bin; all warps share it
        const int lane = (int)threadIdx.x % LANES;
        atomicAdd(&own[keys[i] * LANES + lane], 1);
        //| atomicAdd(&own[keys[i] * LANES], 1);
        // END SOLUTION
    }
    __syncthreads(); // all have counted: only now are the block's counts complete
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
        int count = 0;
        // BEGIN SOLUTION: the sum of the bin's 32 counts; in which banks do the lanes of a warp read?
        for (int i = 0; i < LANES; ++i)
            count += own[bin * LANES + (i + bin) % LANES]; // each begins with another count
        //| count = own[bin * LANES];
        // END SOLUTION
        if (count != 0)
            atomicAdd(&counts[bin], count);
    }
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

LAB_EXPORT(histogram, {"counts_apart", launch});
