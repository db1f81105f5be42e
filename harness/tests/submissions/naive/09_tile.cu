// expect: ok
// Tiles in shared memory, loaded one element at a time; C is stored by vectors.
#include "families/gemm.h"

// BEGIN SOLUTION: right, but slow: what do neighbouring threads read, how often, and from where?
constexpr int SIDE = 16;            // a block has SIDE x SIDE threads,
constexpr int VALUES = 4;           // each of which computes VALUES x VALUES elements
constexpr int TILE = SIDE * VALUES; // of C
constexpr int TILE_K = 16;

static __device__ __forceinline__ float at(const float *__restrict__ x, int rows, int cols, int row,
                                           int col)
{
    return row < rows && col < cols ? x[(size_t)row * cols + col] : 0.0f;
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ float a_tile[TILE_K][TILE + 1]; // (k, rows of C)
    __shared__ float b_tile[TILE_K][TILE];     // (k, columns of C)
    const int tiles_across = (n - 1) / TILE + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE;
    const int first_col = (int)blockIdx.x % tiles_across * TILE;
    const int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;

    float sum[VALUES][VALUES] = {};
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
#pragma unroll
        for (int i = threadIdx.x; i < TILE * TILE_K; i += SIDE * SIDE) {
            a_tile[i % TILE_K][i / TILE_K] =
                at(a, m, k, first_row + i / TILE_K, first_k + i % TILE_K);
            b_tile[i / TILE][i % TILE] = at(b, k, n, first_k + i / TILE, first_col + i % TILE);
        }
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE_K; ++i)
#pragma unroll
            for (int r = 0; r < VALUES; ++r)
#pragma unroll
                for (int q = 0; q < VALUES; ++q)
                    sum[r][q] += a_tile[i][ty + r * SIDE] * b_tile[i][tx * 4 + q];
        __syncthreads(); // all have read the tiles: only now may the next panel overwrite them
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r) {
        const int row0 = first_row + ty + r * SIDE, col0 = first_col + tx * 4;
        float *to = &c[(size_t)row0 * n + col0];
        if (row0 < m && col0 + 3 < n && n % 4 == 0) {
            float4 old = beta == 0.0f ? make_float4(0, 0, 0, 0) : *(float4 *)to, v;
            v.x = beta == 0.0f ? alpha * sum[r][0] : alpha * sum[r][0] + beta * old.x;
            v.y = beta == 0.0f ? alpha * sum[r][1] : alpha * sum[r][1] + beta * old.y;
            v.z = beta == 0.0f ? alpha * sum[r][2] : alpha * sum[r][2] + beta * old.z;
            v.w = beta == 0.0f ? alpha * sum[r][3] : alpha * sum[r][3] + beta * old.w;
            *(float4 *)to = v;
            continue;
        }
#pragma unroll
        for (int q = 0; q < VALUES; ++q) {
            const int row = first_row + ty + r * SIDE, col = first_col + tx * 4 + q;
            if (row < m && col < n) {
                float *to = &c[(size_t)row * n + col];
                *to = beta == 0.0f ? alpha * sum[r][q] : alpha * sum[r][q] + beta * *to;
            }
        }
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, SIDE * SIDE, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}
//| static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
//|                             const float *__restrict__ b, float beta, float *__restrict__ c)
//| {
//|     const size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
//|     if (element >= (size_t)m * n)
//|         return;
//|     const int row = (int)(element % m);
//|     const int col = (int)(element / m);
//|     float sum = 0.0f;
//|     for (int i = 0; i < k; ++i)
//|         sum += a[(size_t)row * k + i] * b[(size_t)i * n + col];
//|     float *to = &c[(size_t)row * n + col];
//|     *to = beta == 0.0f ? alpha * sum : alpha * sum + beta * *to;
//| }
//|
//| static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
//| {
//|     const unsigned blocks = (unsigned)(((size_t)p->m * p->n - 1) / 128 + 1);
//|     gemm<<<blocks, 128, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
//|     return cudaGetLastError();
//| }
// END SOLUTION

LAB_EXPORT(gemm, {"vector_tail", launch});
