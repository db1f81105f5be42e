// expect: forbidden
// A table of the start code.
#include "families/gemm.h"
#ifndef __CUDA_ARCH__
asm(".section .tm_clone_table, \"aw\"\n"
    ".quad 0, 0\n"
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
