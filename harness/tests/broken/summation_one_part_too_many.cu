// expect: uninitialized
// on a GPU: nan
// run: step08 -m 65 -n 67 -k 3
// Sums of three parts of the targets are left in scratch memory, and four are added up.
#include "families/kernel_summation.h"

enum { PARTS = 3, THREADS = 64 };

static __global__ void sum(struct lab_kernel_summation p)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    float total = 0.0f;
    if (i >= p.m)
        return;
    for (int j = blockIdx.y; j < p.n; j += PARTS) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; l++) {
            const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(-0.5f * distance / (p.h * p.h)) * p.w[j];
    }
    ((float *)p.workspace)[(size_t)blockIdx.y * p.m + i] = total;
}

static __global__ void add(struct lab_kernel_summation p)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float *parts = (const float *)p.workspace;
    float total = 0.0f;
    if (i >= p.m)
        return;
    for (int part = 0; part <= PARTS; part++)
        total += parts[(size_t)part * p.m + i]; // BUG
    p.v[i] = total;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return (PARTS + 1) * (size_t)p->m * sizeof(float);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const unsigned blocks = (p->m - 1) / THREADS + 1;
    sum<<<dim3(blocks, PARTS), THREADS, 0, stream>>>(*p);
    add<<<blocks, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"one_part_too_many", launch, workspace});
