// expect: ok
// A tile of 32 x 128 in the registers of a warp, A and B straight from global memory.
#include "families/gemm.h"
constexpr int R = 32, Q = 4, LY = 1, LX = 32, TM = R * LY, TN = Q * LX;
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}
static __device__ __forceinline__ float4 load4(const float *__restrict__ from, int count)
{
    if (count >= 4 && (size_t)from % 16 == 0)
        return *(const float4 *)from;
    return make_float4(count > 0 ? from[0] : 0.0f, count > 1 ? from[1] : 0.0f,
                       count > 2 ? from[2] : 0.0f, count > 3 ? from[3] : 0.0f);
}
static __global__ __launch_bounds__(32) void gemm(int m, int n, int k, float alpha,
                                                  const float *__restrict__ a,
                                                  const float *__restrict__ b, float beta,
                                                  float *__restrict__ c)
{
    const int across = (n - 1) / TN + 1;
    const int row0 = (int)blockIdx.x / across * TM + (int)threadIdx.x / LX,
              col0 = (int)blockIdx.x % across * TN + (int)threadIdx.x % LX * 4;
    float sum[R][Q] = {};
    for (int i = 0; i < k; i += 4) {
        float4 av[R];
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const int row = row0 + r * LY;
            av[r] = load4(&a[(size_t)row * k + i], row < m ? k - i : 0);
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float4 bv[Q / 4];
#pragma unroll
            for (int q = 0; q < Q / 4; ++q) {
                const int col = col0 + q * LX * 4;
                bv[q] = load4(&b[(size_t)(i + j) * n + col], i + j < k ? n - col : 0);
            }
#pragma unroll
            for (int r = 0; r < R; ++r) {
                const float x = j == 0 ? av[r].x : j == 1 ? av[r].y : j == 2 ? av[r].z : av[r].w;
#pragma unroll
                for (int q = 0; q < Q / 4; ++q) {
                    sum[r][4 * q] += x * bv[q].x;
                    sum[r][4 * q + 1] += x * bv[q].y;
                    sum[r][4 * q + 2] += x * bv[q].z;
                    sum[r][4 * q + 3] += x * bv[q].w;
                }
            }
        }
    }
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
        for (int q = 0; q < Q; ++q) {
            const int row = row0 + r * LY, col = col0 + q / 4 * LX * 4 + q % 4;
            if (row < m && col < n)
                store(&c[(size_t)row * n + col], sum[r][q], alpha, beta);
        }
}
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TM + 1) * ((p->n - 1) / TN + 1);
    gemm<<<blocks, 32, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"tile_16x128", launch});
