// expect: wrong
// run: step00d -n 3001
// says: from bin 192 on all hold 0
// says not: row
// says not: element
// A quarter of the bins is left as it was cleared.
#include "families/histogram.h"

static __global__ void histogram(int n, const int *__restrict__ keys, int *__restrict__ counts)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n && keys[i] < 192)
        atomicAdd(&counts[keys[i]], 1);
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    const cudaError_t cleared =
        cudaMemsetAsync(p->counts, 0, LAB_HISTOGRAM_BINS * sizeof(int), stream);
    if (cleared != cudaSuccess)
        return cleared;
    histogram<<<p->n / 256 + 1, 256, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"three_quarters", launch});
