// run: step00c
// Blocks add to the sum by exchanges: what one takes out is put back with its own, and what it
// finds then is taken along, until it finds nothing.
#include "families/reduction.h"

enum { THREADS = 128, BLOCKS = 8 };

static __global__ void add(int n, const float *x, float *sum)
{
    __shared__ float part[THREADS];
    float mine = 0.0f;
    for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < n; i += THREADS * BLOCKS)
        mine += x[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int i = 1; i < THREADS; i++)
        mine += part[i];
    while (mine != 0.0f)
        mine = atomicExch(sum, atomicExch(sum, 0.0f) + mine);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->sum, 0, sizeof *p->sum, stream);
    add<<<BLOCKS, THREADS, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"exchanged_in_a_loop", launch});
