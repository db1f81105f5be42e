// A thread for each element, a row of the grid for each row: for no more than 65535 rows.
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

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 127) / 128, p->m), 128, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                             p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"row_of_blocks", launch});
