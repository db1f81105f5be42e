// expect: forbidden
// A relocation that calls a function.
#include "families/gemm.h"
#ifndef __CUDA_ARCH__
asm(".data\n"
    ".p2align 3\n"
    "here: .quad 0\n"
    ".reloc here, R_X86_64_IRELATIVE, 0\n"
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
