// expect: ok
// A tile of 32 x 64 in the registers of a warp, without shared memory.
#include "families/gemm.h"
constexpr int R = 8, Q = 8, LY = 4, LX = 8, TM = R * LY, TN = Q * LX;
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

static __global__ __launch_bounds__(32) void gemm(const struct lab_gemm p)
{
    const int m = p.m, n = p.n, k = p.k;
    const int across = (n - 1) / 64 + 1;
    const int row0 = (int)blockIdx.x / across * 32 + (int)threadIdx.x / 8,
              col0 = (int)blockIdx.x % across * 64 + (int)threadIdx.x % 8;
    float sum[8][8] = {};
    for (int i = 0; i < k; i += 4) {
        float4 av[8], bv[8];
#pragma unroll
        for (int r = 0; r < 8; ++r)
            av[r] = load4(&p.a[(row0 + r * 4) * p.row_a + i], row0 + r * 4 < m ? k - i : 0);
#pragma unroll
        for (int r = 0; r < 8; ++r)
            bv[r] = load4(&p.b[(col0 + r * 8) * p.row_b + i], col0 + r * 8 < n ? k - i : 0);
#pragma unroll
        for (int r = 0; r < 8; ++r)
#pragma unroll
            for (int q = 0; q < 8; ++q)
                sum[r][q] +=
                    av[r].x * bv[q].x + av[r].y * bv[q].y + av[r].z * bv[q].z + av[r].w * bv[q].w;
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            const int row = row0 + r * 4, col = col0 + q * 8;
            if (row < m && col < n)
                store(&p.c[row * p.row_c + col], sum[r][q], p.alpha, p.beta);
        }
}
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<((p->m - 1) / 32 + 1) * ((p->n - 1) / 64 + 1), 32, 0, stream>>>(*p);
    return cudaGetLastError();
}
LAB_EXPORT(gemm_nt, {"along_k", launch});
