// expect: wrong
// run: step00a -n 3001
// says: some elements only, in no order: look at conditions on values
// says not: column
// What is large is cut off.
#include "families/copy.h"

static __global__ void copy(int n, const float *__restrict__ from, float *__restrict__ to)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        to[i] = from[i] > 0.75f ? 0.75f : from[i];
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    copy<<<(p->n - 1) / 256 + 1, 256, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"cut_off", launch});
