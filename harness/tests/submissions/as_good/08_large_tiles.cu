// expect: ok
// 8 x 8 values per thread, and B by copies of 16 bytes where its rows allow them.
#include "families/gemm.h"

#include <cuda_pipeline.h>

constexpr int SIDE = 16, VALUES = 8, TILE = 128, TILE_K = 8, BUFFERS = 3;

static __device__ void begin_copy(float *to, const float *x, int rows, int cols, int row, int col)
{
    const bool inside = row < rows && col < cols;
    __pipeline_memcpy_async(to, inside ? &x[(size_t)row * cols + col] : x, 4, inside ? 0 : 4);
}

static __global__ void __launch_bounds__(SIDE *SIDE) gemm(const struct lab_gemm p)
{
    __shared__ float a_tile[BUFFERS][TILE_K][TILE + 4];
    __shared__ alignas(16) float b_tile[BUFFERS][TILE_K][TILE];
    const int tiles_across = (p.n - 1) / TILE + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE;
    const int first_col = (int)blockIdx.x % tiles_across * TILE;
    const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * SIDE + tx;
    const int panels = (p.k - 1) / TILE_K + 1;
    const bool is_aligned = p.n % 4 == 0 && (size_t)p.b % 16 == 0;

    auto begin_panel = [&](int panel, int buffer) {
        const int b_k = thread / 32, row = panel * TILE_K + b_k;
        for (int i = 0; i < 4; ++i) {
            const int a_k = thread % TILE_K, a_row = thread / TILE_K + i * 32;
            begin_copy(&a_tile[buffer][a_k][a_row], p.a, p.m, p.k, first_row + a_row,
                       panel * TILE_K + a_k);
        }
        if (is_aligned) {
            const int col = thread % 32 * 4;
            const bool inside = row < p.k && first_col + col < p.n;
            __pipeline_memcpy_async(&b_tile[buffer][b_k][col],
                                    inside ? &p.b[(size_t)row * p.n + first_col + col] : p.b, 16,
                                    inside ? 0 : 16);
        } else {
            for (int i = 0; i < 4; ++i)
                begin_copy(&b_tile[buffer][b_k][thread % 32 + i * 32], p.b, p.k, p.n, row,
                           first_col + thread % 32 + i * 32);
        }
        __pipeline_commit();
    };

    float sum[VALUES][VALUES] = {};
    begin_panel(0, 0);
    begin_panel(1, 1);
    for (int panel = 0; panel < panels; ++panel) {
        __pipeline_wait_prior(1);
        __syncthreads();
        begin_panel(panel + 2, (panel + 2) % BUFFERS);
        const int now = panel % BUFFERS;
#pragma unroll
        for (int i = 0; i < TILE_K; ++i)
#pragma unroll
            for (int r = 0; r < VALUES; ++r)
#pragma unroll
                for (int q = 0; q < VALUES; ++q)
                    sum[r][q] += a_tile[now][i][ty + r * SIDE] * b_tile[now][i][tx + q * SIDE];
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q) {
            const int row = first_row + ty + r * SIDE, col = first_col + tx + q * SIDE;
            if (row < p.m && col < p.n) {
                float *c = &p.c[(size_t)row * p.n + col];
                *c = p.beta == 0.0f ? p.alpha * sum[r][q] : p.alpha * sum[r][q] + p.beta * *c;
            }
        }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, dim3(SIDE, SIDE), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"large_tiles", launch});
