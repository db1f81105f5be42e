// expect: launch_error
// The launch function reports an error of its own.
#include "families/gemm.h"

static cudaError_t launch(const struct lab_gemm *, cudaStream_t)
{
    return cudaErrorInvalidValue;
}

LAB_EXPORT(gemm, {"returns_error", launch});
