// expect: ok
// A thread for each element, no tile: right, and its stores lie a row apart.
#include "families/transpose.h"

static __global__ void transpose(int m, int n, const float *a, float *b)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)m * n)
        b[i % n * m + i / n] = a[i];
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    const size_t count = (size_t)p->m * p->n;
    transpose<<<(unsigned)((count - 1) / 256 + 1), 256, 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"naive", launch});
