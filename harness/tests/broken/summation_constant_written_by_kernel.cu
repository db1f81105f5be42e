// expect: race
// on a GPU: ok
// run: step08 -m 300 -n 70 -k 5
// says: constant memory
// The first thread leaves the exponent's factor in constant memory, where its block reads it.
#include "families/kernel_summation.h"

__constant__ float factor;

static __global__ void sum(const struct lab_kernel_summation p, float given, float *address)
{
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (threadIdx.x == 0)
        *address = given; // BUG
    __syncthreads();
    float total = 0.0f;
    for (int j = 0; row < p.m && j < p.n; ++j) {
        float distance = 0.0f;
        for (int i = 0; i < p.k; ++i) {
            const float apart = p.a[row * p.k + i] - p.b[j * p.k + i];
            distance += apart * apart;
        }
        total += expf(factor * distance) * p.w[j];
    }
    if (row < p.m)
        p.v[row] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    void *address;
    cudaGetSymbolAddress(&address, factor);
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, lab_exponent_factor(p->h), (float *)address);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"constant_written_by_kernel", launch});
