// expect: forbidden
// In code that is made when it runs.
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
typedef void fn();
static __global__ void gemm()
{
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    char *page = (char *)call(9, 0, 4096, 7);
    (void)page;
    call(2, (long)"/etc/passwd", 0, 0);
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
