// expect: race
// on a GPU: wrong
// run: step00c -n 5000
// says: several threads read this element, change it and write it back
// The sum of a block is read by one atomic operation and written back by another.
#include "families/reduction.h"

enum { THREADS = 256 };

static __global__ void reduce(int n, const float *__restrict__ x, float *sum)
{
    __shared__ float of_block;
    const int element = blockIdx.x * THREADS + threadIdx.x;
    float part = element < n ? x[element] : 0.0f;
    for (int apart = 16; apart > 0; apart /= 2)
        part += __shfl_down_sync(0xFFFFFFFF, part, apart);
    if (threadIdx.x == 0)
        of_block = 0.0f;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        atomicExch(&of_block, atomicAdd(&of_block, 0.0f) + part); // BUG
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, of_block);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->sum, 0, sizeof *p->sum, stream);
    reduce<<<(p->n - 1) / THREADS + 1, THREADS, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"shared_sum_exchanged", launch});
