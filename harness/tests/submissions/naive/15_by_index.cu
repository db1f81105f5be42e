// expect: ok
// Tiles, and B turned by its index in global memory: lanes side by side read a row of B apart.
#include "families/gemm.h"

constexpr int TILE = 16;

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, long long row_a,
                            const float *b, long long row_b, float beta, float *c, long long row_c)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int tiles_across = (n - 1) / TILE + 1;
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = (int)blockIdx.x / tiles_across * TILE + y;
    const int col = (int)blockIdx.x % tiles_across * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        a_tile[y][x] = row < m && first + x < k ? a[row * row_a + first + x] : 0.0f;
        b_tile[y][x] = col < n && first + y < k ? b[col * row_b + first + y] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
    }
    if (row < m && col < n) {
        float *there = &c[row * row_c + col];
        *there = beta == 0.0f ? alpha * sum : alpha * sum + beta * *there;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->row_a, p->b,
                                                  p->row_b, p->beta, p->c, p->row_c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_nt, {"by_index", launch});
