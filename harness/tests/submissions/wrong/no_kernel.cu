// expect: launch_error
// Host code alone.
#include "families/gemm.h"

static cudaError_t launch(const struct lab_gemm *, cudaStream_t)
{
    return cudaSuccess;
}

LAB_EXPORT(gemm, {"submission", launch});
