// expect: forbidden
// says: the workspace function asks for -
// The bytes of scratch memory are a difference that is below 0.
#include "families/gemm.h"

enum { TILE = 16 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c, int first)
{
    const int row = first + blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    if (row >= m || column >= n)
        return;
    for (int i = 0; i < k; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    c[(size_t)row * n + column] =
        beta == 0.0f ? alpha * sum : alpha * sum + beta * c[(size_t)row * n + column];
}

static void start(const struct lab_gemm *p, int first, int last, cudaStream_t stream)
{
    if (first < last)
        gemm<<<dim3((p->n + TILE - 1) / TILE, (last - first + TILE - 1) / TILE), dim3(TILE, TILE),
               0, stream>>>(last, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c, first);
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)(p->n - 2 * p->m) * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    start(p, 0, p->m, stream);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"negative_workspace", launch, workspace});
