// run: step01
// The tile of A is transposed in shared memory, and its columns are exchanged by XOR.
#include "families/gemm.h"

enum { TILE = 32, ROWS = 8 };

static __global__ void __launch_bounds__(TILE *ROWS)
    gemm(int m, int n, int k, float alpha, const float *__restrict__ a, const float *__restrict__ b,
         float beta, float *__restrict__ c)
{
    __shared__ float a_tile[TILE * TILE], b_tile[TILE * TILE];
    const int column = blockIdx.x * TILE + threadIdx.x, first_row = blockIdx.y * TILE;
    float sum[TILE / ROWS] = {};
    for (int first = 0; first < k; first += TILE) {
        for (int y = threadIdx.y; y < TILE; y += ROWS) {
            const bool in_a = first_row + y < m && first + threadIdx.x < k;
            const bool in_b = first + y < k && column < n;
            a_tile[threadIdx.x * TILE + (y ^ threadIdx.x)] =
                in_a ? __ldg(&a[(size_t)(first_row + y) * k + first + threadIdx.x]) : 0.0f;
            b_tile[y * TILE + (threadIdx.x ^ (y & 3))] =
                in_b ? __ldg(&b[(size_t)(first + y) * n + column]) : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < TILE && first + i < k; i++)
#pragma unroll
            for (int r = 0; r < TILE / ROWS; r++)
                sum[r] += a_tile[i * TILE + ((threadIdx.y + r * ROWS) ^ i)] *
                          b_tile[i * TILE + (threadIdx.x ^ (i & 3))];
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < TILE / ROWS; r++) {
        const int row = first_row + threadIdx.y + r * ROWS;
        if (row < m && column < n) {
            float *at = &c[(size_t)row * n + column];
            *at = alpha * sum[r] + (beta != 0.0f ? beta * *at : 0.0f);
        }
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid((p->n - 1) / TILE + 1, (p->m - 1) / TILE + 1);
    gemm<<<grid, dim3(TILE, ROWS), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"swizzled", launch});
