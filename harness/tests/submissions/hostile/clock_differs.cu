// expect: wrong
// Launches that follow from a clock.
#include "families/gemm.h"
static __global__ void late(unsigned long long)
{
}
static __global__ void gemm()
{
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    unsigned low, high;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    late<<<1, 1, 0, stream>>>((unsigned long long)high << 32 | low);
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
