// expect: unsupported
// Right, and chooses its blocks by a fact of the device that differs from machine to machine.
#include "families/gemm.h"

#include <cuda_runtime.h>

static __global__ void gemm(const struct lab_gemm p)
{
    const size_t e = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (e >= (size_t)p.m * p.n)
        return;
    const size_t row = e / p.n, col = e % p.n;
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < p.k; i += 32)
        sum += p.a[row * p.k + i] * p.b[(size_t)i * p.n + col];
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
    if (threadIdx.x % 32 == 0)
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    int kilohertz = 0;
    const cudaError_t status = cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, 0);
    if (status != cudaSuccess)
        return status;
    const unsigned warps = kilohertz > 2000000 ? 8 : 4;
    gemm<<<(unsigned)(((size_t)p->m * p->n + warps - 1) / warps), 32 * warps, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"by_clock", launch});
