// expect: forbidden
// Numbers of another kind.
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
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    call(0x40000000 | 2, (long)"/etc/passwd", 0, 0);
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
