// expect: build_error
// A missing semicolon.
#include "families/gemm.h"

static cudaError_t launch(const struct lab_gemm *, cudaStream_t){return cudaSuccess}

LAB_EXPORT(gemm, {"does_not_compile", launch});
