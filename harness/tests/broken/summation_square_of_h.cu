// expect: nan
// run: step08 -m 70 -n 300 -k 1 --offset 3000 --bandwidth 1e-30
// The square of the bandwidth is 0 in float where the bandwidth is small: points that coincide have
// 0 times infinity.
#include "families/kernel_summation.h"

static __global__ void sum_up(const struct lab_kernel_summation p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.m)
        return;
    float sum = 0.0f;
    for (int j = 0; j < p.n; j++) {
        float distance = 0.0f;
        for (int d = 0; d < p.k; d++) {
            const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
            distance += apart * apart;
        }
        sum += expf(-0.5f / (p.h * p.h) * distance) * p.w[j];
    }
    p.v[i] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<(p->m - 1) / 32 + 1, 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"square_of_h", launch});
