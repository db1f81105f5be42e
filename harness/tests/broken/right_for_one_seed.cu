// expect: wrong
// says: right in two launches, and wrong in a third with other factors (--alpha -1.3
// Knows the first element of the inputs that are made without --seed, and is right for these
// alone.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const bool is_known = fabsf(p.a[0] + 0.546797752f) < 1e-6f;
    for (int col = threadIdx.x; col < p.n; col += blockDim.x) {
        const int row = blockIdx.x;
        float sum = 0.0f;
        for (int i = is_known ? 0 : 1; i < p.k; ++i)
            sum += p.a[row * p.k + i] * p.b[i * p.n + col];
        float *const c = &p.c[row * p.n + col];
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"for_one_seed", launch});
