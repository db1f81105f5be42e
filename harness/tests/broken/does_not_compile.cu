// expect: build_error
// A missing semicolon.
#include "step.h"

static cudaError_t launch(const struct lab_gemm *, cudaStream_t){return cudaSuccess}

LAB_EXPORT_GEMM({"does_not_compile", launch});
