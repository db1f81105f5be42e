// expect: unwritten
// run: step00a -n 1021
// says: does anything take what is after the last whole one
// says not: tile
// Copies whole vectors alone.
#include "families/copy.h"

static __global__ void copy(int n, const float *from, float *to)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n / 4)
        ((float4 *)to)[i] = ((const float4 *)from)[i];
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    copy<<<(p->n - 1) / 1024 + 1, 256, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"copied_whole_vectors_alone", launch});
