// expect: out_of_bounds
// on a GPU: varies
// run: step01 -m 9 -n 130 -k 5
// says: B[4][130], column 130 of 130, runs into the next row: a guard such as column < 130
// says not: a guard such as row
// A thread computes 4 neighbours, and loads 4 of B behind the last column, too.
#include "families/gemm.h"

static __device__ float4 load4(const float *from)
{
    return make_float4(from[0], from[1], from[2], from[3]); // BUG
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int row = blockIdx.y, column = (blockIdx.x * 32 + threadIdx.x) * 4;
    float sum[4] = {};
    if (column >= n)
        return;
    for (int i = 0; i < k; i++) {
        const float4 b_value = load4(&b[(size_t)i * n + column]);
        sum[0] += a[row * k + i] * b_value.x;
        sum[1] += a[row * k + i] * b_value.y;
        sum[2] += a[row * k + i] * b_value.z;
        sum[3] += a[row * k + i] * b_value.w;
    }
    for (int q = 0; q < 4 && column + q < n; q++) {
        float *const out = &c[(size_t)row * n + column + q];
        *out = beta == 0.0f ? alpha * sum[q] : alpha * sum[q] + beta * *out;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / 128 + 1, p->m), 32, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a,
                                                              p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"four_without_a_tail", launch});
