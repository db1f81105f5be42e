// expect: uninitialized
// on a GPU: wrong
// run: step08 -m 300 -n 70 -k 5
// says: malloc in a kernel
// A block's sums in memory of malloc(), which is not cleared.
#include "families/kernel_summation.h"

static __global__ void sum(const struct lab_kernel_summation p, float factor)
{
    __shared__ float *sums;
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (threadIdx.x == 0)
        sums = (float *)malloc(blockDim.x * sizeof *sums);
    __syncthreads();
    for (int j = 0; row < p.m && j < p.n; ++j) {
        float distance = 0.0f;
        for (int i = 0; i < p.k; ++i) {
            const float apart = p.a[row * p.k + i] - p.b[j * p.k + i];
            distance += apart * apart;
        }
        sums[threadIdx.x] += expf(factor * distance) * p.w[j]; // BUG
    }
    if (row < p.m)
        p.v[row] = sums[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        free(sums);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"heap_without_value", launch});
