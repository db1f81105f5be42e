// run: step01
// As many blocks as fit on the device at a time, of as many threads as the kernel takes; launched
// by cudaLaunchKernelEx() with attributes.
#include "families/gemm.h"

#include <cuda_runtime.h>

static __global__ void gemm(const struct lab_gemm p)
{
    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < (size_t)p.m * p.n;
         e += (size_t)gridDim.x * blockDim.x) {
        float sum = 0.0f;
#pragma unroll 4
        for (int i = 0; i < p.k; i++)
            sum = __fmaf_rn(p.a[e / p.n * p.k + i], p.b[(size_t)i * p.n + e % p.n], sum);
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    int blocks = 0;
    cudaFuncAttributes attributes;
    cudaFuncSetCacheConfig(gemm, cudaFuncCachePreferL1);
    cudaFuncGetAttributes(&attributes, gemm);
    const int threads = attributes.maxThreadsPerBlock >= 256 ? 256 : 64;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, gemm, threads, 0);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributePriority;
    attribute.val.priority = 0;
    config.gridDim = dim3(blocks * lab_device_attribute(cudaDevAttrMultiProcessorCount) / 64 + 1);
    config.blockDim = dim3(threads);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, gemm, *p);
}

LAB_EXPORT(gemm, {"asks", launch});
