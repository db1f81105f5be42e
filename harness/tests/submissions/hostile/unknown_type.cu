// expect: forbidden
// A section of a kind that linkers may know, and this grader does not.
#include "families/gemm.h"
#ifndef __CUDA_ARCH__
asm(".section own, \"a\", @0x6fff4c0c\n"
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
