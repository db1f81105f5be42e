// expect: wrong
// run: step00a -n 1000
// says: subnormal numbers
// An addition with .ftz makes 0 of what is below 2^-126, and of -0 it keeps the sign.
#include "families/copy.h"

static __device__ float flushed(float x)
{
    float sum;
    asm("add.ftz.f32 %0, %1, %2;" : "=f"(sum) : "f"(x), "f"(-0.0f));
    return sum;
}

static __global__ void copy(int n, const float *from, float *to)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        to[i] = flushed(from[i]);
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    copy<<<(p->n - 1) / 256 + 1, 256, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"flushed", launch});
