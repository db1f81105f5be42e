// expect: forbidden
// Where the bytes of scratch memory are asked for.
#include "families/gemm.h"
static long call(long number, long a, long b, long c)
{
    long result;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c)
                 : "rcx", "r11", "memory");
    return result;
}
static __global__ void gemm()
{
}
static size_t workspace(const struct lab_gemm *)
{
    return call(257, -100, (long)"/etc/passwd", 0) > 0 ? 4 : 8;
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch, workspace});
