// expect: ok
// A variable of the device that would spoil the goals, if it still had what a hidden test has left
// there. Each test is given a fresh device, so nothing of the hidden test can come out.
#include "families/gemm.h"

constexpr int BLOCK = 256;

static __device__ int hidden_m;

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    const size_t element = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (m == 37 && n == 41 && element == 0)
        hidden_m = m;
    if (element >= (size_t)m * n)
        return;
    const int row = (int)(element / n);
    const int col = (int)(element % n);
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[(size_t)i * m + row] * b[(size_t)i * n + col];
    float *const to = &c[(size_t)row * n + col];
    *to = beta == 0.0f ? alpha * sum : alpha * sum + beta * *to;
    if (m >= 128 && element == 0 && atomicAdd(&hidden_m, 0)) // read by no other thread
        *to = NAN;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(((size_t)p->m * p->n - 1) / BLOCK + 1);
    gemm<<<blocks, BLOCK, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
