// expect: wrong
// run: step08 -m 33 -n 35 -k 3
// says not: precision
// The lanes' sums are added up but for the last step: even lanes only.
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
    const int i = blockIdx.x, lane = threadIdx.x;
    float sum = 0.0f;
    for (int j = lane; j < p.n; j += 32)
        sum += expf(factor * distance_of(p, i, j)) * p.w[j];
    for (int distance = 16; distance > 1; distance /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, distance);
    if (lane == 0)
        p.v[i] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<p->m, 32, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"last_step_missing", launch});
