// expect: launch_error
// run: step08 -m 33 -n 35 -k 7
// says: from cudaFuncSetAttribute()
// Asks for a megabyte of shared memory for each block, which no device gives.
#include "families/kernel_summation.h"

enum { BYTES = 1 << 20 };

static __global__ void sum(const struct lab_kernel_summation p)
{
    extern __shared__ float targets[];
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float total = 0.0f;
    for (int j = (int)threadIdx.x; j < p.n * p.k; j += (int)blockDim.x)
        targets[j] = p.b[j];
    __syncthreads();
    for (int j = 0; j < p.n && i < p.m; ++j) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; ++l) {
            const float d = p.a[(size_t)i * p.k + l] - targets[j * p.k + l];
            distance += d * d;
        }
        total += expf(-0.5f * distance / (p.h * p.h)) * p.w[j];
    }
    if (i < p.m)
        p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const cudaError_t status =
        cudaFuncSetAttribute(sum, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    if (status != cudaSuccess)
        return status;
    sum<<<(p->m - 1) / 64 + 1, 64, BYTES, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"too_much_shared", launch});
