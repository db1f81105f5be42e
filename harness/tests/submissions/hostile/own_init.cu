// expect: forbidden
// What the dynamic linker calls first.
#include "families/gemm.h"
extern "C" void _init()
{
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
