// expect: race
// The transposed product is turned in place: a block overwrites what another one still has to read.
#include "families/gemm.h"

enum { TILE = 16 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    if (row >= m || column >= n)
        return;
    for (int i = 0; i < k; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    const float old = beta == 0.0f ? 0.0f : beta * c[(size_t)column * m + row];
    c[(size_t)column * m + row] = alpha * sum + old;
}

static __global__ void transpose(int n, float *c)
{
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row < n && column < n)
        c[(size_t)row * n + column] = c[(size_t)column * n + row]; // BUG
}

/* Square matrices only. */
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE);
    gemm<<<grid, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                p->c);
    transpose<<<grid, dim3(TILE, TILE), 0, stream>>>(p->n, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"transposed_in_place", launch});
