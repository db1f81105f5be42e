// expect: launch_error
// says: launched no kernel: it has enqueued cudaMemsetAsync() and no more
// says not: launched nothing
// C is cleared for a sum that no kernel adds.
#include "families/gemm.h"

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    return cudaMemsetAsync(p->c, 0, (size_t)p->m * p->n * sizeof(float), stream);
}

LAB_EXPORT(gemm, {"fills_and_launches_no_kernel", launch});
