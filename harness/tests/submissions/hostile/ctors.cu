// expect: forbidden
// As older systems had it.
#include "families/gemm.h"
static void early()
{
}
__attribute__((section(".ctors"), used)) static void (*list[])() = {early};
static __global__ void gemm()
{
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
