// expect: race
// on a GPU: unwritten
// run: step08 -m 65601 -n 3 -k 2
// The index of a source is a short: behind 65535 comes 0, whose sum is another block's.
#include "families/kernel_summation.h"

static __device__ float distance_of(const struct lab_kernel_summation &p, int i, int j)
{
    float distance = 0.0f;
    for (int d = 0; d < p.k; d++) {
        const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
        distance += apart * apart;
    }
    return distance;
}

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    const unsigned short i = (unsigned short)(blockIdx.x * blockDim.x + threadIdx.x);
    const int j = (int)((blockIdx.x * blockDim.x + threadIdx.x) / 65536);
    if (i >= p.m)
        return;
    float sum = 0.0f;
    for (int t = j; t < p.n; t++)
        sum += expf(factor * distance_of(p, i, t)) * p.w[t];
    p.v[i] = sum; // BUG
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<(p->m - 1) / 256 + 1, 256, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"short_index", launch});
