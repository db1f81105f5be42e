// expect: forbidden
// The exercise asks for the register tile that a header of common/ has, and no #include names it.
#include "families/gemm.h"
#define HEADER(name) #name
#define FOLDER       HEADER(../ common / tile / fragment.h)
#include FOLDER

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    (void)p, (void)stream;
    return cudaSuccess;
}

LAB_EXPORT(gemm, {"included", launch});
