// expect: forbidden
// Another name of a function.
#include "families/gemm.h"
extern "C" void own()
{
}
extern "C" void __gmon_start__() __attribute__((alias("own")));
static __global__ void gemm()
{
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
