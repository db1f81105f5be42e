// expect: wrong
// run: step01 -m 33 -n 65 -k 17 --alpha -1.3 --beta 0.7
// The factors are handed to the kernel as halves.
#include "families/gemm.h"
#include <cuda_fp16.h>
static __global__ void gemm(const struct lab_gemm p, __half alpha, __half beta)
{
    const int row = (int)blockIdx.x;
    for (int j = (int)threadIdx.x; j < p.n; j += (int)blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + j];
        float *const c = &p.c[(size_t)row * p.n + j];
        *c = p.beta == 0.0f ? __half2float(alpha) * sum
                            : __half2float(alpha) * sum + __half2float(beta) * *c;
    }
}
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, 64, 0, stream>>>(*p, __float2half(p->alpha), __float2half(p->beta));
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"factors_in_half", launch});
