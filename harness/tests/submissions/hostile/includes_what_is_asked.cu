// expect: forbidden
// The exercise asks for the register tile that a header of common/ has; its #include does not show
// the name.
#include "families/gemm.h"
#define HEADER "../common/tile/fragment.h"
#include HEADER

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    (void)p, (void)stream;
    return cudaSuccess;
}

LAB_EXPORT(gemm, {"included", launch});
