// expect: wrong
// run: step01 -m 17 -n 19 -k 33 --alpha 1.5
// says: that is without alpha: is it left out, made an int
// says not: precision
// The factor is passed as an int.
#include "families/gemm.h"

static __global__ void gemm(int m, int n, int k, int alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[e / n * k + i] * b[i * n + e % n];
    c[e] = alpha * sum + (beta != 0.0f ? beta * c[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(p->m * p->n - 1) / 64 + 1, 64, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                        p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"alpha_is_an_int", launch});
