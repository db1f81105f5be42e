// expect: unsupported
// on a GPU: wrong
// Asks for a texture object, which the simulator has not: no fault of the kernel, and no verdict on
// it.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    p.c[blockIdx.x] = 0.0f;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    cudaTextureObject_t texture = 0;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)p->a;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = sizeof(float);
    const cudaError_t status = cudaCreateTextureObject(&texture, &resource, &how, NULL);
    if (status != cudaSuccess)
        return status;
    gemm<<<p->m * p->n, 1, 0, stream>>>(*p);
    cudaDestroyTextureObject(texture);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"unsupported_texture", launch});
