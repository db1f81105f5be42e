// expect: race
// A block stores sums to C, then other warps of it scale them, with no barrier between the two.
#include "families/gemm.h"

enum { TILE = 16 };

static __global__ void clear(int count, float *c)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        c[i] = 0.0f;
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float *c)
{
    const int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0.0f;

    if (row < m && column < n) {
        for (int i = 0; i < k; i++)
            sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
        c[(size_t)row * n + column] = sum; // BUG
    }
    row = blockIdx.y * TILE + TILE - 1 - threadIdx.y;
    if (row < m && column < n)
        c[(size_t)row * n + column] *= alpha;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE);
    const int count = p->m * p->n;
    clear<<<(count + 255) / 256, 256, 0, stream>>>(count, p->c);
    gemm<<<grid, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"no_barrier_on_c", launch});
