// expect: forbidden
// With a version, which the linker takes away.
#include "families/gemm.h"
#ifndef __CUDA_ARCH__
asm(".globl mine\n"
    "mine: ret\n"
    ".symver mine, memcpy@@@GLIBC_2.14\n");
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
