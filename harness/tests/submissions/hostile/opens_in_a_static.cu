// expect: forbidden
// When a variable of the function is first met.
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
static long opened()
{
    return call(257, -100, (long)"/etc/passwd", 0);
}
static __global__ void gemm()
{
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    static long file = opened();
    if (file < 0)
        return cudaErrorUnknown;
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
