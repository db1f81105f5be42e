// expect: wrong
// run: step00c -n 3001
// says: sum: expected
// says: tolerance
// says not: elements wrong
// The last elements, fewer than a block has threads, are not added.
#include "families/reduction.h"

static __global__ void sum_up(int n, const float *__restrict__ x, float *__restrict__ sum)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        atomicAdd(sum, x[i]);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    const cudaError_t cleared = cudaMemsetAsync(p->sum, 0, sizeof(float), stream);
    if (cleared != cudaSuccess)
        return cleared;
    sum_up<<<p->n / 256, 256, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"whole_blocks", launch});
