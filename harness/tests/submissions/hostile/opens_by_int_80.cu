// expect: forbidden
// As 32-bit programs do.
#include "families/gemm.h"

static __global__ void gemm()
{
}
static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)
{
    int file;
    asm volatile("int $0x80" : "=a"(file) : "a"(5), "b"(0), "c"(0), "d"(0) : "memory");
    if (file < 0)
        return cudaErrorUnknown;
    gemm<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"submission", launch});
