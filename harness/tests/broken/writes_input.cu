// expect: input_modified
// Scales A in place to save a multiplication later.
#include "families/gemm.h"

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    float *out = &c[(size_t)row * n + column];
    *out = beta == 0.0f ? alpha * sum : alpha * sum + beta * *out;
}

static __global__ void scale(int count, float alpha, float *a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        a[i] *= 2.0f * alpha; // BUG
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int count = p->m * p->k;
    scale<<<(count + 127) / 128, 128, 0, stream>>>(count, p->alpha, (float *)p->a);
    gemm<<<dim3((p->n + 127) / 128, p->m), 128, 0, stream>>>(p->m, p->n, p->k, 0.5f, p->a, p->b,
                                                             p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"writes_input", launch});
