// expect: ok
// A thread for each element: right, and four times the requests.
#include "families/copy.h"

static __global__ void copy(int n, const float *from, float *to)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    copy<<<(p->n - 1) / 256 + 1, 256, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"naive", launch});
