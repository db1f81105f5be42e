// expect: build_error
// run: step01 -m 33
// says: exports variants 1 and 2 of one name, tiled; give one another
// Right twice, and nobody could tell the two apart.
#include "families/gemm.h"
constexpr int T = 8;
static __global__ void gemm(int m, int n, int k, float alpha, float beta, const float *a,
                            const float *b, float *c)
{
    __shared__ float ta[T][T], tb[T][T];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float s = 0;
    for (int k0 = 0; k0 < k; k0 += T) {
        ta[y][x] = row < m && k0 + x < k ? a[(size_t)row * k + k0 + x] : 0.0f;
        tb[y][x] = k0 + y < k && col < n ? b[(size_t)(k0 + y) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < T; ++i)
            s += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    if (row < m && col < n) {
        float *to = &c[(size_t)row * n + col];
        *to = beta == 0 ? alpha * s : alpha * s + beta * *to;
    }
}
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / T + 1, (p->m - 1) / T + 1), dim3(T, T), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->beta, p->a, p->b, p->c);
    return cudaGetLastError();
}
LAB_EXPORT(gemm, {"tiled", launch}, {"tiled", launch});
