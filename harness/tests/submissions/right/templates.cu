// expect: ok
// Tile shapes as template parameters, a functor for the last step, several rows.
#include "families/gemm.h"

struct scaled {
    float alpha, beta;
    __device__ void operator()(float &c, float sum) const
    {
        c = beta == 0.0f ? alpha * sum : alpha * sum + beta * c;
    }
};

template <int ROWS, int COLUMNS, typename Finish>
static __global__ void gemm(const struct lab_gemm p, Finish finish)
{
    const int row = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    const int col = (blockIdx.x * blockDim.x + threadIdx.x) * COLUMNS;
    float sum[ROWS][COLUMNS] = {};
    for (int i = 0; i < p.k; ++i)
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
#pragma unroll
            for (int q = 0; q < COLUMNS; ++q)
                if (row + r < p.m && col + q < p.n)
                    sum[r][q] += p.a[(size_t)(row + r) * p.k + i] * p.b[(size_t)i * p.n + col + q];
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int q = 0; q < COLUMNS; ++q)
            if (row + r < p.m && col + q < p.n)
                finish(p.c[(size_t)(row + r) * p.n + col + q], sum[r][q]);
}

template <int ROWS, int COLUMNS>
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 block(8, 8);
    const dim3 grid((p->n - 1) / (8 * COLUMNS) + 1, (p->m - 1) / (8 * ROWS) + 1);
    gemm<ROWS, COLUMNS><<<grid, block, 0, stream>>>(*p, scaled{p->alpha, p->beta});
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"values_1x1", launch<1, 1>}, {"values_3x5", launch<3, 5>});
