// expect: wrong
// run: step00c -n 3001
// says: this is 4 times what is expected: counted 4 times?
// Four rows of blocks add each element.
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
    sum_up<<<dim3((p->n + 255) / 256, 4), 256, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"counted_four_times", launch});
