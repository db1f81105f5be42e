// expect: uninitialized
// on a GPU: wrong
// run: step08 -m 70 -n 67 -k 3
// says: early `return` before a barrier
// Threads without a source leave before they have loaded their weight.
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
    __shared__ float weights[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= p.m)
        return;
    float sum = 0.0f;
    for (int first = 0; first < p.n; first += 64) {
        if (first + threadIdx.x < p.n)
            weights[threadIdx.x] = p.w[first + threadIdx.x];
        __syncthreads();
        for (int j = first; j < first + 64 && j < p.n; j++)
            sum += expf(factor * distance_of(p, i, j)) * weights[j - first]; // BUG
        __syncthreads();
    }
    p.v[i] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"early_return", launch});
