// expect: out_of_bounds
// run: step08 -m 33 -n 35 -k 3
// says: host pointer
// A table of the host's program, by its address.
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

static const float signs[2] = {1.0f, 1.0f};

static __global__ void sum_up(const struct lab_kernel_summation p, float factor, const float *table)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.m)
        return;
    float sum = 0.0f;
    for (int j = 0; j < p.n; j++)
        sum += table[j % 2] * expf(factor * distance_of(p, i, j)) * p.w[j]; // BUG
    p.v[i] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<(p->m - 1) / 32 + 1, 32, 0, stream>>>(*p, lab_exponent_factor(p->h), signs);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"table_on_the_host", launch});
