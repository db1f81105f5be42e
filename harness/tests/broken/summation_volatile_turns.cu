// expect: race
// on a GPU: ok
// run: step08
// says: between the write and the setting of the flag, a __threadfence()
// says: between the look at the flag and this read, a __threadfence()
// The sum of a source goes from block to block, and a number says whose turn it is. Both are
// volatile, which does not order the one before the other.
#include "families/kernel_summation.h"

enum { PARTS = 3, ROWS = 64 };

static __global__ void sum_up(const struct lab_kernel_summation p, float factor, unsigned *turns)
{
    const int part = (int)(blockIdx.x % PARTS);
    const int row = (int)(blockIdx.x / PARTS * ROWS + threadIdx.x);
    if (row >= p.m)
        return;
    float sum = 0.0f;
    for (int j = part; j < p.n; j += PARTS) {
        float distance = 0.0f;
        for (int i = 0; i < p.k; ++i) {
            const float apart = p.a[(size_t)row * p.k + i] - p.b[(size_t)j * p.k + i];
            distance += apart * apart;
        }
        sum += expf(factor * distance) * p.w[j];
    }
    while (*(volatile unsigned *)&turns[row] != (unsigned)part)
        ;
    volatile float *const v = &p.v[row];
    *v = part == 0 ? sum : *v + sum; // BUG
    *(volatile unsigned *)&turns[row] = (unsigned)part + 1;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return (size_t)p->m * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, workspace(p), stream);
    sum_up<<<((unsigned)p->m + ROWS - 1) / ROWS * PARTS, ROWS, 0, stream>>>(
        *p, lab_exponent_factor(p->h), (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"volatile_turns", launch, workspace, LAB_REPEATABLE});
