// expect: race
// on a GPU: unwritten
// The block's column is left out where C is written: blocks of a row write to the same elements.
#include "families/gemm.h"

enum { TILE = 16 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;

    if (row >= m || column >= n)
        return;
    for (int i = 0; i < k; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    const float old = beta == 0.0f ? 0.0f : beta * c[(size_t)row * n + column];
    c[(size_t)row * n + x] = alpha * sum + old; // BUG
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE), dim3(TILE, TILE), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"forgotten_block_index", launch});
