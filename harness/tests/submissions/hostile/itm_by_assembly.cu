// expect: forbidden
// The start of every shared object calls it.
#include "families/gemm.h"
#ifndef __CUDA_ARCH__
asm(".globl _ITM_registerTMCloneTable\n"
    ".type _ITM_registerTMCloneTable, @function\n"
    "_ITM_registerTMCloneTable: ret\n");
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
