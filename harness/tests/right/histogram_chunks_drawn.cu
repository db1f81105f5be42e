// run: step00d
// Blocks draw chunks of keys by an atomic operation. The first one also counts those that it has
// met, in two steps, since it is alone in that; the others look at that number, and at a mark that
// anyone may set, too.
#include "families/histogram.h"

static constexpr int CHUNK = 512, THREADS = 128;

static __global__ void histogram(int n, const int *__restrict__ keys, int *counts, unsigned *next,
                                 volatile unsigned *met, volatile unsigned *begun, unsigned chunks)
{
    __shared__ unsigned chunk;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            if (*begun == 0)
                *begun = 1;
            const unsigned until_now = *met;
            if (blockIdx.x == 0 && until_now < chunks)
                *met = until_now + 1;
            chunk = atomicAdd(next, 1u);
        }
        __syncthreads();
        if (chunk >= chunks)
            return;
        for (long long k = (long long)chunk * CHUNK + threadIdx.x;
             k < n && k < (chunk + 1LL) * CHUNK; k += THREADS)
            atomicAdd(&counts[keys[k]], 1);
    }
}

static unsigned chunks_of(const struct lab_histogram *p)
{
    return (unsigned)((p->n - 1) / CHUNK + 1);
}

static size_t workspace(const struct lab_histogram *)
{
    return 3 * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    unsigned *const next = (unsigned *)p->workspace;
    cudaMemsetAsync(p->counts, 0, 256 * sizeof(int), stream);
    cudaMemsetAsync(next, 0, workspace(p), stream);
    histogram<<<8, THREADS, 0, stream>>>(p->n, p->keys, p->counts, next, next + 1, next + 2,
                                         chunks_of(p));
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"drawn", launch, workspace});
