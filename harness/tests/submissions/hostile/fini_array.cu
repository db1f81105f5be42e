// expect: forbidden
// A destructor without the word.
#include "families/gemm.h"
static void late()
{
}
__attribute__((section(".fini_array"), used)) static void (*list[])() = {late};
static __global__ void gemm()
{
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
