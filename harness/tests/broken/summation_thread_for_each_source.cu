// expect: launch_error
// run: step08 -m 1100 -n 5 -k 3
// says: 1024
// One block, with a thread for each source.
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
    float sum = 0.0f;
    for (int j = 0; j < p.n; j++)
        sum += expf(factor * distance_of(p, threadIdx.x, j)) * p.w[j];
    p.v[threadIdx.x] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<1, p->m, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"thread_for_each_source", launch});
