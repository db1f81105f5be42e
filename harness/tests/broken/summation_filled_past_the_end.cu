// expect: out_of_bounds
// run: step08 -m 65 -n 67 -k 3
// no line: the host's fills have none
// v is first filled with NaN, and with it what lies behind: m is not rounded up.
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
    float total = 0.0f;
    if (i >= p.m)
        return;
    for (int j = 0; j < p.n; j++)
        total += weight(p, i, j);
    p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const unsigned blocks = (p->m - 1) / 64 + 1;
    cudaMemsetAsync(p->v, 0xFF, blocks * 64 * sizeof(float), stream);
    sum<<<blocks, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"filled_past_the_end", launch, NULL});
