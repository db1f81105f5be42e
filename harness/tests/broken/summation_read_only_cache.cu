// expect: race
// run: step08 -m 65 -n 67 -k 3
// The halves of a sum meet in scratch memory behind a barrier, but are read by __ldg().
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p)
{
    const int i = blockIdx.x * 64 + threadIdx.x % 64, half = threadIdx.x / 64;
    float *parts = (float *)p.workspace + blockIdx.x * 128, total = 0.0f;
    for (int j = half; i < p.m && j < p.n; j += 2) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; l++) {
            const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(-0.5f * distance / (p.h * p.h)) * p.w[j];
    }
    parts[threadIdx.x] = total;
    __syncthreads();
    if (half == 0 && i < p.m)
        p.v[i] = total + __ldg(&parts[threadIdx.x + 64]); // BUG
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return (size_t)((p->m - 1) / 64 + 1) * 128 * sizeof(float);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<(p->m - 1) / 64 + 1, 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"read_only_cache", launch, workspace});
