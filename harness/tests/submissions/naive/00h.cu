// Right, and without the exercise's idea: lanes beside each other.
#include "families/copy.h"

constexpr int THREADS = 256; // per block

static __global__ __launch_bounds__(THREADS) void copy(int n, const float *__restrict__ from,
                                                       float *__restrict__ to)
{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) // the last block may hang over the end
        to[i] = from[i];
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    const int blocks = (p->n - 1) / THREADS + 1; // rounded up
    copy<<<blocks, THREADS, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"one_each", launch});
