// expect: ok
// exercises: 01 21
// One thread an element, the 32 of a warp along a column of C: reads side by side, writes apart.
#include "families/gemm.h"

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int col = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[(size_t)i * m + row] * b[(size_t)i * n + col];
    float *element = &c[(size_t)row * n + col];
    *element = beta == 0.0f ? alpha * sum : alpha * sum + beta * *element;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->m - 1) / 32 + 1, (p->n - 1) / 8 + 1), dim3(32, 8), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"naive", launch});
