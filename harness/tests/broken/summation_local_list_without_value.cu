// expect: uninitialized
// run: step08 -m 65 -n 67 -k 3
// Parts of the sum in local memory, of which those that got no term are added up, too.
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
    float parts[16], total = 0.0f;
    if (i >= p.m)
        return;
    for (int j = 0; j < p.k + 9; j++)
        parts[(j + p.n) % 16] = 0.0f;
    for (int j = 0; j < p.n; j++)
        parts[(j % 12 + p.n) % 16] += weight(p, i, j);
    for (int j = 0; j < 16; j++)
        total += parts[(j + i) % 16]; // BUG
    p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"local_list_without_value", launch, NULL});
