// expect: forbidden
// Its resolver runs when the file is loaded.
#include "families/gemm.h"
extern "C" {
static void own()
{
}
static void (*resolve(void))()
{
    return own;
}
}
extern "C" {
static __attribute__((used)) void chosen() __attribute__((ifunc("resolve")));
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
