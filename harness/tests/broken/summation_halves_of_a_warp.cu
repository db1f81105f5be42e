// expect: race
// on a GPU: wrong
// run: step08 -m 33 -n 35 -k 3
// Two neighbouring threads share a source, and each stores its half of the sum.
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
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 2;
    if (i >= p.m)
        return;
    float sum = 0.0f;
    for (int j = threadIdx.x % 2; j < p.n; j += 2)
        sum += expf(factor * distance_of(p, i, j)) * p.w[j];
    p.v[i] = sum; // BUG
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<(2 * p->m - 1) / 32 + 1, 32, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"halves_of_a_warp", launch});
