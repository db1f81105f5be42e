// expect: unwritten|wrong
// Works for the first three calls, when somebody may be looking.
#include "families/gemm.h"

static __device__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

__device__ int calls;

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (calls > 3)
        return;
    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + col];
    store(&c[(size_t)row * n + col], sum, alpha, beta);
}

static __global__ void count()
{
    calls = calls + 1;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{

    gemm<<<dim3(p->n / 16 + 1, p->m / 16 + 1), dim3(16, 16), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    count<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"submission", launch});
