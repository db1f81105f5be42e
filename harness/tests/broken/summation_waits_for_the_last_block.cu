// expect: timeout
// run: step08 -m 3000 -n 16 -k 2
// says: begins only when one of them ends
// All blocks wait for the last one, which is not on the GPU, by an atomic operation.
#include "families/kernel_summation.h"

static __global__ void sum(const struct lab_kernel_summation p, int *last_is_here)
{
    const int i = (int)blockIdx.x;
    if (i == p.m - 1 && threadIdx.x == 0)
        atomicExch(last_is_here, 1);
    while (atomicAdd(last_is_here, 0) == 0) // BUG
        ;
    if (threadIdx.x > 0)
        return;
    float total = 0.0f;
    for (int j = 0; j < p.n; ++j) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; ++l) {
            const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(-0.5f * distance / (p.h * p.h)) * p.w[j];
    }
    p.v[i] = total;
}

static size_t workspace(const struct lab_kernel_summation *)
{
    return sizeof(int);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(int), stream);
    sum<<<p->m, 256, 0, stream>>>(*p, (int *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"waits", launch, workspace});
