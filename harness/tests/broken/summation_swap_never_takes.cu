// expect: timeout
// run: step08 -m 5 -n 7 -k 3
// Adds by compare and swap, and compares with what was there at the beginning for ever.
#include "families/kernel_summation.h"

static __device__ float distance_of(const struct lab_kernel_summation &p, int i, int j)
{
    float distance = 0.0f;
    for (int d = 0; d < p.k; d++) {
        const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
        distance += apart * apart;
    }
    return distance;
}

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    const int i = blockIdx.x, j = threadIdx.x;
    int *const at = (int *)&p.v[i];
    const float term = expf(factor * distance_of(p, i, j)) * p.w[j];
    const int seen = *at;
    while (atomicCAS(at, seen, __float_as_int(__int_as_float(seen) + term)) != seen) // BUG
        ;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->v, 0, p->m * sizeof(float), stream);
    sum_up<<<p->m, p->n, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"swap_never_takes", launch});
