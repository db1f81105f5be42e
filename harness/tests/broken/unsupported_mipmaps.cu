// expect: unsupported
// on a GPU: wrong
// Asks for mipmaps, which the simulator has not: no fault of the kernel, and no verdict on it.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    p.c[blockIdx.x] = 0.0f;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    cudaMipmappedArray_t levels;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const cudaError_t status =
        cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(8, 8, 0), 2);
    if (status != cudaSuccess)
        return status;
    gemm<<<p->m * p->n, 1, 0, stream>>>(*p);
    cudaFreeMipmappedArray(levels);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"unsupported_mipmaps", launch});
