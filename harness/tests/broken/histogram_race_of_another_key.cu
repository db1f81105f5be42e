// expect: race
// run: solution00d -n 1
// says: a __syncthreads() between the two is missing
// says not: right in two launches
// Of a single key the thread that counts it reads it, too, where it is 0, as with the first inputs:
// only those of another seed show that a barrier is missing.
#include "families/histogram.h"

constexpr int BINS = LAB_HISTOGRAM_BINS;

static __global__ void histogram(int n, const int *keys, int *counts)
{
    __shared__ int own[BINS];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += BINS)
        atomicAdd(&own[keys[i]], 1);
    counts[threadIdx.x] = own[threadIdx.x]; // BUG
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    histogram<<<1, BINS, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"race_of_another_key", launch});
