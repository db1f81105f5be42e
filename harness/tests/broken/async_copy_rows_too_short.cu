// expect: race
// on a GPU: out_of_bounds
// run: step01 -m 33 -n 65 -k 17 --alpha -1.5 --beta 0.75
// says: since a row is 31 elements long and 32 are indexed in it
// says not: atomic
// Copies into rows that are too short meet, whatever is waited for.
#include "families/gemm.h"
#include <cuda_pipeline.h>
constexpr int T = 32;
static __global__ void gemm(int m, int n, int k, float alpha, float beta, const float *a,
                            const float *b, float *c)
{
    __shared__ float ta[T][T], tb[T][T - 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float s = 0;
    for (int k0 = 0; k0 < k; k0 += T) {
        ta[y][x] = row < m && k0 + x < k ? a[(size_t)row * k + k0 + x] : 0.0f;
        const bool inside = k0 + y < k && col < n;
        __pipeline_memcpy_async(&tb[y][x], inside ? &b[(size_t)(k0 + y) * n + col] : b, 4, // BUG
                                inside ? 0 : 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
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
LAB_EXPORT(gemm, {"broken", launch});
