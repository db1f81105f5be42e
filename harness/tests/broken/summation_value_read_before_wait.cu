// expect: race
// run: step08 -m 70 -n 48
// says: the value is read before the flag or counter that tells of it
// The same before the loop that waits: each block takes the sums of the block before.
#include "families/kernel_summation.h"

enum { THREADS = 64, TARGETS = 16 };

static __global__ void sum_up(const struct lab_kernel_summation p, float factor,
                              volatile float *sums, volatile unsigned *ready)
{
    const int part = blockIdx.x, row = blockIdx.y * THREADS + threadIdx.x;
    if (row >= p.m)
        return;
    float sum = 0.0f;
    for (int j = part * TARGETS; j < p.n && j < (part + 1) * TARGETS; j++) {
        float distance = 0.0f;
        for (int d = 0; d < p.k; d++) {
            const float apart = p.a[(size_t)row * p.k + d] - p.b[(size_t)j * p.k + d];
            distance += apart * apart;
        }
        sum += expf(factor * distance) * p.w[j];
    }
    if (part > 0) {
        const float before = sums[(part - 1) * p.m + row];
        while (ready[(part - 1) * p.m + row] == 0) // BUG
            ;
        __threadfence();
        sum += before;
    }
    if (part == gridDim.x - 1) {
        p.v[row] = sum;
        return;
    }
    sums[part * p.m + row] = sum;
    __threadfence();
    ready[part * p.m + row] = 1;
}

static unsigned parts_of(const struct lab_kernel_summation *p)
{
    return (unsigned)((p->n - 1) / TARGETS + 1);
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return 2 * sizeof(float) * parts_of(p) * p->m;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    float *const sums = (float *)p->workspace;
    cudaMemsetAsync(sums, 0, workspace(p), stream);
    sum_up<<<dim3(parts_of(p), (p->m - 1) / THREADS + 1), THREADS, 0, stream>>>(
        *p, lab_exponent_factor(p->h), sums, (unsigned *)(sums + parts_of(p) * p->m));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"value_before_wait", launch, workspace, LAB_REPEATABLE});
