// expect: wrong
// run: step00a -n 1000
// says: stored for -0, or -0 for 0
// A sum that begins with 0 makes 0 of -0.
#include "families/copy.h"

#include <math.h>

static __global__ void copy(int n, const float *from, float *to)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        to[i] = 0.0f + from[i];
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    copy<<<(p->n - 1) / 256 + 1, 256, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"added_to_zero", launch});
