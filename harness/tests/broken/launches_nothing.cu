// expect: launch_error
// A launch function that forgets to launch.
#include "step.h"

static cudaError_t launch(const struct lab_gemm *, cudaStream_t)
{
    return cudaSuccess;
}

LAB_EXPORT_GEMM({"launches_nothing", launch});
