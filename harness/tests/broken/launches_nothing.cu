// expect: launch_error
// A launch function that forgets to launch.
#include "families/gemm.h"

static cudaError_t launch(const struct lab_gemm *, cudaStream_t)
{
    return cudaSuccess;
}

LAB_EXPORT(gemm, {"launches_nothing", launch});
