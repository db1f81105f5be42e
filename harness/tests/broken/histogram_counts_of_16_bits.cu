// expect: wrong
// run: step00d -n 70001
// says: a multiple of 65536: are counts kept in 16 bits or fewer?
// Two counts in a word of the only block: half of the keys are few enough, all are not.
#include "families/histogram.h"

static __global__ void histogram(int n, const int *keys, int *counts)
{
    __shared__ unsigned own[128];
    const int t = threadIdx.x;
    if (t < 128)
        own[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 256)
        atomicAdd(&own[keys[i] / 2], 1u << 16 * (keys[i] % 2));
    __syncthreads();
    counts[t] = (int)(own[t / 2] >> 16 * (t % 2) & 65535);
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    histogram<<<1, 256, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"counts_of_16_bits", launch});
