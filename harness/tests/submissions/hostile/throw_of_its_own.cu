// expect: forbidden
// Names that begin like functions of the library that only throw, but are others.
#include "families/gemm.h"

extern "C" int system_by_another_name(const char *) __asm__("_ZSt12not__throw_it");

static __global__ void gemm(struct lab_gemm p)
{
    p.c[0] = 0.0f;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    system_by_another_name("ls");
    gemm<<<1, 1, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"submission", launch});
