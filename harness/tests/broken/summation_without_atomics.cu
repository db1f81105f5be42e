// expect: race
// run: step08 -m 129 -n 65 -k 9
// Two blocks share the targets of a source, and each adds its part to V without an atomic.
#include "families/kernel_summation.h"

enum { THREADS = 64, PARTS = 2 };

static __device__ float gaussian(const struct lab_kernel_summation &p, int i, const float *target)
{
    float distance = 0.0f;
    for (int l = 0; l < p.k; l++) {
        float d = p.a[(size_t)i * p.k + l] - target[l];
        distance += d * d;
    }
    return expf(-0.5f * distance / (p.h * p.h));
}

static __global__ void sum(struct lab_kernel_summation p)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    float total = 0.0f;
    if (i >= p.m)
        return;
    for (int j = blockIdx.y; j < p.n; j += PARTS)
        total += gaussian(p, i, &p.b[(size_t)j * p.k]) * p.w[j];
    p.v[i] += total; // BUG
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    cudaError_t status = cudaMemsetAsync(p->v, 0, p->m * sizeof(float), stream);
    if (status != cudaSuccess)
        return status;
    sum<<<dim3((p->m - 1) / THREADS + 1, PARTS), THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"without_atomics", launch, NULL});
