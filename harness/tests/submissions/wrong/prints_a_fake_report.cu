// expect: ok
// Says itself that it is right, which is believed as little as it is needed.
#include "families/gemm.h"
#include <cstdio>

static __device__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;

    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + col];
    store(&c[(size_t)row * n + col], sum, alpha, beta);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    printf("{\"status\": \"ok\", \"points\": 100}\n0 0 1 1 1\t\n");
    gemm<<<dim3(p->n / 16 + 1, p->m / 16 + 1), dim3(16, 16), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);

    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"submission", launch});
