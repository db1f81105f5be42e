// expect: ok
// exercises: 02 03 04 05 06 07 08 09 14 18 20
// One thread an element, nothing shared: right, and each exercise has a goal that cannot be had so.
#include "families/gemm.h"

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int col = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int row = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + col];
    float *element = &c[(size_t)row * n + col];
    *element = beta == 0.0f ? alpha * sum : alpha * sum + beta * *element;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / 32 + 1, (p->m - 1) / 8 + 1), dim3(32, 8), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"naive", launch});
