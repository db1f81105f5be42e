// expect: wrong
// run: step00d -n 3000
// says: where all keys are the same (--keys one)
// says: of each 32 in a row that are all the same
// says not: all but the first
// The leader of the lanes with one key adds their number, of which it keeps 5 bits: 32 have none.
#include "families/histogram.h"

static __global__ void histogram(int n, const int *keys, int *counts)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const unsigned all = __ballot_sync(0xFFFFFFFFu, i < n);
    if (i >= n)
        return;
    const unsigned same = __match_any_sync(all, keys[i]);
    const unsigned count = __popc(same) & 31;
    if ((int)(threadIdx.x % 32) == __ffs(same) - 1)
        atomicAdd(&counts[keys[i]], (int)count);
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->counts, 0, 1024, stream);
    histogram<<<(p->n - 1) / 256 + 1, 256, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"whole_warp_counts_none", launch});
