// run: step00c -n 2049
// A lock that is looked at until it is free, taken by a compare-and-swap, and released by a store.
#include "families/reduction.h"

enum { T = 128 };

static __device__ float block_sum(float own)
{
    __shared__ float part[T];
    __syncthreads();
    part[threadIdx.x] = own;
    __syncthreads();
    for (int h = T / 2; h > 0; h /= 2) {
        if (threadIdx.x < h)
            part[threadIdx.x] += part[threadIdx.x + h];
        __syncthreads();
    }
    return part[0];
}

static __global__ void reduce(int n, const float *__restrict__ x, volatile float *sum, int *lock)
{
    float own = 0;
    for (long long i = (long long)blockIdx.x * T + threadIdx.x; i < n;
         i += (long long)gridDim.x * T)
        own += x[i];
    own = block_sum(own);
    if (threadIdx.x == 0) {
        do
            while (*(volatile int *)lock != 0)
                continue;
        while (atomicCAS(lock, 0, 1) != 0);
        __threadfence();
        *sum = *sum + own;
        __threadfence();
        *(volatile int *)lock = 0;
    }
}

static size_t workspace(const struct lab_reduction *p)
{
    return 16;
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, 16, stream);
    cudaMemsetAsync(p->sum, 0, 4, stream);
    reduce<<<16, T, 0, stream>>>(p->n, p->x, p->sum, (int *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"lock_looked_at_first", launch, workspace});
