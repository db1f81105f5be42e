// expect: build_error
// A launch function of another family's struct: it must not compile.
#include "families/gemm.h"
#include "families/trmm.h"

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    (void)p, (void)stream;
    return cudaSuccess;
}

LAB_EXPORT(gemm, {"launches_another_problem", launch});
