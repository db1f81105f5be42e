// run: step00d
// Blocks claim chunks of keys, each by a compare-and-swap.
#include "families/histogram.h"

static constexpr int CHUNK = 512, THREADS = 128;

static __global__ void histogram(int n, const int *__restrict__ keys, int *counts,
                                 unsigned *claimed, unsigned chunks)
{
    __shared__ bool is_mine;
    for (unsigned i = 0; i < chunks; ++i) {
        const unsigned chunk = (i + blockIdx.x * 5) % chunks;
        if (threadIdx.x == 0)
            is_mine = atomicCAS(&claimed[chunk], 0u, 1u) == 0;
        __syncthreads();
        for (long long k = (long long)chunk * CHUNK + threadIdx.x;
             is_mine && k < n && k < (chunk + 1LL) * CHUNK; k += THREADS)
            atomicAdd(&counts[keys[k]], 1);
        __syncthreads();
    }
}

static unsigned chunks_of(const struct lab_histogram *p)
{
    return (unsigned)((p->n - 1) / CHUNK + 1);
}

static size_t workspace(const struct lab_histogram *p)
{
    return chunks_of(p) * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->counts, 0, 256 * sizeof(int), stream);
    cudaMemsetAsync(p->workspace, 0, workspace(p), stream);
    histogram<<<8, THREADS, 0, stream>>>(p->n, p->keys, p->counts, (unsigned *)p->workspace,
                                         chunks_of(p));
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"claimed", launch, workspace});
