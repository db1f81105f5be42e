// run: step01
// 64 sums of a thread in 32 registers: the machine code keeps most of them in local memory, which
// the PTX knows nothing of.
#include "families/gemm.h"

enum { SIDE = 16, VALUES = 8 };

static __global__ void __launch_bounds__(SIDE *SIDE, 8)
    gemm(int m, int n, int k, float alpha, const float *__restrict__ a, const float *__restrict__ b,
         float beta, float *__restrict__ c)
{
    const int row = (blockIdx.y * SIDE + threadIdx.y) * VALUES;
    const int column = (blockIdx.x * SIDE + threadIdx.x) * VALUES;
    float sum[VALUES][VALUES] = {};

    for (int i = 0; i < k; i++)
#pragma unroll
        for (int y = 0; y < VALUES; y++) {
            const float a_value = row + y < m ? a[(size_t)(row + y) * k + i] : 0.0f;
#pragma unroll
            for (int x = 0; x < VALUES; x++)
                sum[y][x] += a_value * (column + x < n ? b[(size_t)i * n + column + x] : 0.0f);
        }
#pragma unroll
    for (int y = 0; y < VALUES; y++)
#pragma unroll
        for (int x = 0; x < VALUES; x++)
            if (row + y < m && column + x < n) {
                float *at = &c[(size_t)(row + y) * n + column + x];
                *at = beta == 0.0f ? alpha * sum[y][x] : alpha * sum[y][x] + beta * *at;
            }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 block(SIDE, SIDE);
    const dim3 grid((p->n - 1) / (SIDE * VALUES) + 1, (p->m - 1) / (SIDE * VALUES) + 1);
    gemm<<<grid, block, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"spills", launch});
