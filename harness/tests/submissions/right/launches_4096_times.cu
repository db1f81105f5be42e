// expect: ok
// As many launches as there may be, for the smallest problem.
#include "families/gemm.h"

static __global__ void gemm(int first, int step, int m, int n, int k, float alpha, const float *a,
                            const float *b, float beta, float *c)
{
    const int col = blockIdx.x * 32 + threadIdx.x;

    for (int row = first; row < m && col < n; row += step) {
        float sum = 0.0f;
        for (int i = 0; i < k; ++i)
            sum += a[(size_t)row * k + i] * b[(size_t)i * n + col];
        float *to = &c[(size_t)row * n + col];
        *to = beta == 0.0f ? alpha * sum : alpha * sum + beta * *to;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int launches = p->m == 1 ? 4096 : 16;

    for (int first = 0; first < launches; ++first)
        gemm<<<p->n / 32 + 1, 32, 0, stream>>>(first, launches, p->m, p->n, p->k, p->alpha, p->a,
                                               p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"submission", launch});
