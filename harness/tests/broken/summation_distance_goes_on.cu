// expect: wrong
// run: step08 -m 33 -n 35 -k 3
// says not: precision
// says not: last
// The distance is cleared for the first target only.
#include "families/kernel_summation.h"

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.m)
        return;
    float sum = 0.0f, distance = 0.0f;
    for (int j = 0; j < p.n; j++) {
        for (int d = 0; d < p.k; d++) {
            const float apart = p.a[i * p.k + d] - p.b[j * p.k + d];
            distance += apart * apart;
        }
        sum += expf(factor * distance) * p.w[j];
    }
    p.v[i] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<(p->m - 1) / 32 + 1, 32, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"distance_goes_on", launch});
