// expect: uninitialized
// run: step08 -m 65 -n 67 -k 3
// Only the first warp's sums begin with the first term, the others with nothing.
#include "families/kernel_summation.h"

static __device__ float weight(const struct lab_kernel_summation &p, int i, int j)
{
    float distance = 0.0f;
    for (int l = 0; l < p.k; l++) {
        const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
        distance += d * d;
    }
    return expf(-0.5f * distance / (p.h * p.h)) * p.w[j];
}

static __global__ void sum(struct lab_kernel_summation p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total;
    if (i >= p.m)
        return;
    if (threadIdx.x < 32)
        total = weight(p, i, 0);
    for (int j = 1; j < p.n; j++)
        total += weight(p, i, j); // BUG
    p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"without_value", launch, NULL});
