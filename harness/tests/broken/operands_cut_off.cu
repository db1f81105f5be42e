// expect: wrong
// says: suggest precision
// says not: look at the index
// says not: __syncthreads
// Operands have 10 bits of a fraction, as those of a tensor core that takes TF32.
#include "families/gemm.h"

static __device__ float cut(float x)
{
    return __uint_as_float(__float_as_uint(x) & 0xffffe000u);
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += cut(a[(size_t)row * k + i]) * cut(b[(size_t)i * n + column]);
    float *out = &c[(size_t)row * n + column];
    *out = beta == 0.0f ? alpha * sum : alpha * sum + beta * *out;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 127) / 128, p->m), 128, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                             p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"operands_cut_off", launch});
