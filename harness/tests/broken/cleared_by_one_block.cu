// expect: race
// One of the blocks that add to an element clears it first, but another one may have added before.
#include "families/gemm.h"

enum { TILE = 16, PARTS = 4 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float *c)
{
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    if (row >= m || column >= n)
        return;
    if (blockIdx.z == 0)
        c[(size_t)row * n + column] = 0.0f;
    for (int i = blockIdx.z; i < k; i += PARTS)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    atomicAdd(&c[(size_t)row * n + column], alpha * sum); // BUG
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE, PARTS);
    gemm<<<grid, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"cleared_by_one_block", launch});
