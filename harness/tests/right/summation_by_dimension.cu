// run: step08
// Points are turned in scratch memory to lie dimension by dimension, padded to whole warps; what
// the padding holds goes into sums that nobody stores.
#include "families/kernel_summation.h"

static __host__ __device__ size_t padded(int count)
{
    return ((size_t)count + 31) / 32 * 32;
}

static __global__ void turn(int count, int k, const float *from, float *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        for (int d = 0; d < k; d++)
            to[d * padded(count) + i] = from[(size_t)i * k + d];
}

static __global__ void sum_up(const struct lab_kernel_summation p, float factor, const float *a,
                              const float *b)
{
    const int i = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < p.n; j++) {
        float distance = 0.0f;
        for (int d = 0; i < p.m && d < p.k; d++) {
            const float apart = a[d * padded(p.m) + i] - __ldg(&b[d * padded(p.n) + j]);
            distance += apart * apart;
        }
        sum += __expf(factor * distance) * __ldg(&p.w[j]);
    }
    if (i < p.m)
        p.v[i] = sum;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return (padded(p->m) + padded(p->n)) * p->k * sizeof(float);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    float *a = (float *)p->workspace, *b = a + padded(p->m) * p->k;
    turn<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(p->m, p->k, p->a, a);
    turn<<<(p->n - 1) / 64 + 1, 64, 0, stream>>>(p->n, p->k, p->b, b);
    sum_up<<<(p->m - 1) / 32 + 1, 32, 0, stream>>>(*p, lab_exponent_factor(p->h), a, b);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"by_dimension", launch, workspace});
