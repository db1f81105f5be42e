// expect: forbidden
// An object like that of <iostream>, beside code of its own that runs when the file is loaded.
#include "families/gemm.h"

#include <iostream>

static std::ios_base::Init init;
static int early = (std::ios_base::sync_with_stdio(false), 1);

static __global__ void gemm(struct lab_gemm p)
{
    p.c[0] = 0.0f;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<early, 1, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"submission", launch});
