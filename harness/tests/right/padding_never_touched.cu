// run: step01
// Tiles of padded rows whose padding nobody writes or reads, and whose last rows are not filled
// where the matrix ends, nor read.
#include "families/gemm.h"

enum { TILE = 16, PITCH = TILE + 5 };

struct tile {
    float value[TILE][PITCH];
    int unused[3];
};

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ struct tile a, b;
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < p.k; first += TILE) {
        if (row < p.m && first + x < p.k)
            a.value[y][x] = p.a[(size_t)row * p.k + first + x];
        if (column < p.n && first + y < p.k)
            b.value[y][x] = p.b[(size_t)(first + y) * p.n + column];
        __syncthreads();
        if (row < p.m && column < p.n)
            for (int i = 0; i < TILE && first + i < p.k; i++)
                sum += a.value[y][i] * b.value[i][x];
        __syncthreads();
    }
    if (row < p.m && column < p.n) {
        float *c = &p.c[(size_t)row * p.n + column];
        *c = p.alpha * sum + (p.beta != 0.0f ? p.beta * *c : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid((p->n - 1) / TILE + 1, (p->m - 1) / TILE + 1);
    gemm<<<grid, dim3(TILE, TILE), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"padding", launch});
