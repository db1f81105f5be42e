// expect: forbidden
// Its resolver runs when the file is loaded.
#include "families/gemm.h"
#ifndef __CUDA_ARCH__
asm(".globl chosen\n"
    ".type chosen, @gnu_indirect_function\n"
    "chosen: lea chosen(%rip), %rax\n"
    "ret\n");
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
