// expect: race
// run: step00d -n 3001
// says: several lanes of the warp read this element
// One warp counts by a volatile ++, of which a word that several lanes have keeps one.
#include "families/histogram.h"

static __global__ void histogram(int n, const int *__restrict__ keys, volatile int *counts)
{
    for (int i = threadIdx.x; i < n; i += 32)
        counts[keys[i]] = counts[keys[i]] + 1; // BUG
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->counts, 0, LAB_HISTOGRAM_BINS * sizeof(int), stream);
    histogram<<<1, 32, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"lanes_count_volatile", launch});
