// expect: forbidden
// Of another name.
#include "families/gemm.h"
#ifndef __CUDA_ARCH__
asm(".section own, \"aw\", @init_array\n"
    ".quad 0\n"
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
