// expect: ok
// One thread four elements of a row, nothing shared: few instructions read, but as much is read.
#include "families/gemm.h"

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int col = 4 * (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int row = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (row >= m || col >= n)
        return;
    const bool whole = n % 4 == 0; // rows begin on 16 bytes then, and have no rest
    float sum[4] = {};
    for (int i = 0; i < k; ++i) {
        const float left = a[(size_t)row * k + i];
        const float *right = &b[(size_t)i * n + col];
        const float4 four =
            whole ? *(const float4 *)right
                  : make_float4(right[0], col + 1 < n ? right[1] : 0.0f,
                                col + 2 < n ? right[2] : 0.0f, col + 3 < n ? right[3] : 0.0f);
        sum[0] += left * four.x;
        sum[1] += left * four.y;
        sum[2] += left * four.z;
        sum[3] += left * four.w;
    }
    for (int q = 0; q < 4 && col + q < n; ++q) {
        float *element = &c[(size_t)row * n + col + q];
        *element = beta == 0.0f ? alpha * sum[q] : alpha * sum[q] + beta * *element;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / 128 + 1, (p->m - 1) / 8 + 1), dim3(32, 8), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"naive", launch});
