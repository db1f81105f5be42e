// expect: forbidden
// Before other constructors.
#include "families/gemm.h"
static volatile int x;
__attribute__((constructor(101))) static void early()
{
    x = 1;
}
static __global__ void gemm()
{
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
