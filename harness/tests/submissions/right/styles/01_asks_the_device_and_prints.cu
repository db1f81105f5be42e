// expect: ok
// Asks the runtime for all that a launch function may want to know before it chooses its grid, and
// says on the host what went wrong, and more.
#include "families/gemm.h"

#include <cuda_runtime.h>
#include <stdio.h>

static __global__ void gemm(struct lab_gemm p, int strides)
{
    for (int s = 0; s < strides; ++s) {
        const size_t element = ((size_t)s * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        if (element >= (size_t)p.m * p.n)
            return;
        const int row = (int)(element / p.n);
        const int col = (int)(element % p.n);
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)i * p.m + row] * p.b[(size_t)i * p.n + col];
        float *const to = &p.c[element];
        *to = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *to;
    }
}

static bool failed(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    return status != cudaSuccess;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    int device = 0, devices = 0, sms = 0, per_sm = 0, least = 0, threads = 0;
    struct cudaDeviceProp properties;
    struct cudaFuncAttributes facts;
    if (failed(cudaGetDeviceCount(&devices), "count") || failed(cudaGetDevice(&device), "device") ||
        failed(cudaGetDeviceProperties(&properties, device), "properties") ||
        failed(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "SMs") ||
        failed(cudaFuncGetAttributes(&facts, gemm), "facts") ||
        failed(cudaOccupancyMaxPotentialBlockSize(&least, &threads, gemm), "block size") ||
        failed(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, gemm, 256, 0), "occupancy"))
        return cudaErrorUnknown;
    if (devices < 1 || sms != properties.multiProcessorCount || properties.warpSize != 32 ||
        facts.numRegs < 8 || facts.numRegs > 255 || facts.maxThreadsPerBlock < threads ||
        per_sm != 2048 / 256 || threads != 1024 || least != sms * 2)
        return cudaErrorInvalidConfiguration;
    const size_t needed = ((size_t)p->m * p->n + 255) / 256;
    const size_t blocks = needed < (size_t)(sms * per_sm) ? needed : (size_t)(sms * per_sm);
    printf("m = %d, %zu blocks\n", p->m, blocks);
    gemm<<<(unsigned)blocks, 256, 0, stream>>>(*p, (int)((needed + blocks - 1) / blocks));
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
