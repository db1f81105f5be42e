// expect: race
// run: step00d -n 2049
// says: race on element 0 of lock in shared memory
// A lock of the warps of a block that is waited for and taken in two volatile accesses.
#include "families/histogram.h"

static __global__ void histogram(int n, const int *__restrict__ keys, int *counts)
{
    __shared__ volatile int own[256], lock;
    own[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        lock = 0;
    __syncthreads();
    for (long long i = (long long)blockIdx.x * 256 + threadIdx.x / 32 * 32; i < n;
         i += (long long)gridDim.x * 256) {
        if (threadIdx.x % 32 == 0) {
            while (lock != 0)
                ;
            lock = 1; // BUG
            __threadfence_block();
            for (int l = 0; l < 32 && i + l < n; ++l)
                own[keys[i + l]] = own[keys[i + l]] + 1;
            __threadfence_block();
            lock = 0;
        }
        __syncwarp();
    }
    __syncthreads();
    if (own[threadIdx.x])
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->counts, 0, 1024, stream);
    histogram<<<8, 256, 0, stream>>>(p->n, p->keys, p->counts);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"histogram_lock_in_shared_memory", launch});
