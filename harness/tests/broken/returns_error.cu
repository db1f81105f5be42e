// expect: launch_error
// The launch function reports an error of its own.
#include "step.h"

static cudaError_t launch(const struct lab_gemm *, cudaStream_t)
{
    return cudaErrorInvalidValue;
}

LAB_EXPORT_GEMM({"returns_error", launch});
