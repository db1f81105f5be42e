// expect: race
// on a GPU: ok
// run: step08 -m 65 -n 70 -k 5
// V is cleared before the launch, and again by those blocks that take the first targets, while
// others add to it.
#include "families/kernel_summation.h"

constexpr int TARGETS = 32; // of a block

static __global__ void sum(const struct lab_kernel_summation p, float factor)
{
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= p.m)
        return;
    if (blockIdx.y == 0)
        p.v[row] = 0.0f;
    float total = 0.0f;
    for (int j = (int)blockIdx.y * TARGETS; j < p.n && j < ((int)blockIdx.y + 1) * TARGETS; ++j) {
        float distance = 0.0f;
        for (int i = 0; i < p.k; ++i) {
            const float apart = p.a[(size_t)row * p.k + i] - p.b[(size_t)j * p.k + i];
            distance += apart * apart;
        }
        total += expf(factor * distance) * p.w[j];
    }
    atomicAdd(&p.v[row], total); // BUG
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->v, 0, (size_t)p->m * sizeof(float), stream);
    sum<<<dim3((p->m - 1) / 64 + 1, (p->n - 1) / TARGETS + 1), 64, 0, stream>>>(
        *p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"cleared_once_more", launch});
