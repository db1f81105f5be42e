// expect: forbidden
// A variable in the place of the function.
#include "families/gemm.h"
extern "C" int _ITM_registerTMCloneTable;
int _ITM_registerTMCloneTable = 1;
static __global__ void gemm()
{
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
