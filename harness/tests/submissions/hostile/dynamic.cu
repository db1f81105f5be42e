// expect: forbidden
// Orders to the dynamic linker.
#include "families/gemm.h"
#ifndef __CUDA_ARCH__
asm(".section .dynamic, \"aw\"\n"
    ".quad 1, 1\n"
    ".text\n");
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
