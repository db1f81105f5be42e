// expect: race
// run: step08
// says: no loop tries it again
// Sums are added by compare and swap, which is tried once.
#include "families/kernel_summation.h"

enum { THREADS = 64, TARGETS = 16 };

static __device__ void add(float *to, float value)
{
    const unsigned old = *(volatile unsigned *)to;
    atomicCAS((unsigned *)to, old, __float_as_uint(__uint_as_float(old) + value)); // BUG
}

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    const int i = blockIdx.y * THREADS + threadIdx.x;
    if (i >= p.m)
        return;
    float sum = 0.0f;
    for (int j = blockIdx.x * TARGETS; j < p.n && j < (int)(blockIdx.x + 1) * TARGETS; j++) {
        float distance = 0.0f;
        for (int d = 0; d < p.k; d++) {
            const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
            distance += apart * apart;
        }
        sum += expf(factor * distance) * p.w[j];
    }
    add(&p.v[i], sum);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->v, 0, p->m * sizeof *p->v, stream);
    sum_up<<<dim3((p->n - 1) / TARGETS + 1, (p->m - 1) / THREADS + 1), THREADS, 0, stream>>>(
        *p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"swap_tried_once", launch});
