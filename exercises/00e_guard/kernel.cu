// Exercise 00e: a copy with a thread for each element, whose last block hangs over the end. One
// line lets a thread too many through.
#include "families/copy.h"

constexpr int THREADS = 256; // per block

static __global__ __launch_bounds__(THREADS) void copy(int n, const float *__restrict__ from,
                                                       float *__restrict__ to)
{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    // TODO: which elements are there? Mend the condition
    if (i <= n)
        to[i] = from[i];
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    const int blocks = (p->n - 1) / THREADS + 1; // rounded up
    copy<<<blocks, THREADS, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"guarded", launch});
