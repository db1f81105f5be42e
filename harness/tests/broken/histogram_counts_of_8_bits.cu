// expect: wrong
// run: step00d -n 3000
// says: a multiple of 256: are counts kept in 8 bits?
// Four counts in a word run over into the next one.
#include "families/histogram.h"
static __global__ void histogram(int n, const int *keys, int *counts)
{
    __shared__ unsigned own[64];
    const int t = threadIdx.x;
    if (t < 64)
        own[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        atomicAdd(&own[keys[i] / 4], 1u << 8 * (keys[i] % 4));
    __syncthreads();
    atomicAdd(&counts[t], (int)(own[t / 4] >> 8 * (t % 4) & 255));
}
static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->counts, 0, 1024, stream);
    histogram<<<4, 256, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}
LAB_EXPORT(histogram, {"broken", launch});
