// expect: wrong
// run: step00d -n 3001
// says: each of these is 2 times what is expected: counted 2 times?
// Two rows of blocks count each key.
#include "families/histogram.h"

static __global__ void histogram(int n, const int *__restrict__ keys, int *__restrict__ counts)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        atomicAdd(&counts[keys[i]], 1);
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    const cudaError_t cleared =
        cudaMemsetAsync(p->counts, 0, LAB_HISTOGRAM_BINS * sizeof(int), stream);
    if (cleared != cudaSuccess)
        return cleared;
    histogram<<<dim3((p->n + 255) / 256, 2), 256, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"counted_twice", launch});
