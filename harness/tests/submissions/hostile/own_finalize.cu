// expect: forbidden
// What is called at the end.
#include "families/gemm.h"
extern "C" void __cxa_finalize(void *)
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
