/* Its launch function ends as one that follows a bad pointer does. */
#include "families/gemm.h"

#include <signal.h>

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    (void)p;
    (void)stream;
    raise(SIGSEGV);
    return cudaSuccess;
}

LAB_EXPORT(gemm, {"crashing", launch});
