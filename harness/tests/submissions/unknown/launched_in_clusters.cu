// expect: unsupported
// Right, and launched in clusters of two blocks, by an attribute of the launch.
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
    const unsigned blocks = (unsigned)(((size_t)p->m * p->n + 3) / 4);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.gridDim = dim3((blocks + 1) / 2 * 2);
    config.blockDim = dim3(128);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, gemm, *p);
}

LAB_EXPORT(gemm, {"clusters", launch});
