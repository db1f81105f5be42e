// expect: forbidden
// A common symbol.
#include "families/gemm.h"
#ifndef __CUDA_ARCH__
asm(".comm environ, 8, 8\n");
#endif
static __global__ void gemm()
{
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
