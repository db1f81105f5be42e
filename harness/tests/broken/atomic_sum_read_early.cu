// expect: race
// The sum is read before all threads have added to it.
#include "families/gemm.h"

enum { WARPS = 4 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float total;
    const int thread = threadIdx.y * 32 + threadIdx.x;
    const int row = blockIdx.y, column = blockIdx.x;
    if (thread == 0)
        total = 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int i = thread; i < k; i += 32 * WARPS)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    atomicAdd(&total, sum);
    if (thread == 32 * WARPS - 1)
        c[(size_t)row * n + column] =
            alpha * total + (beta == 0.0f ? 0.0f : beta * c[(size_t)row * n + column]); // BUG
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3(p->n, p->m), dim3(32, WARPS), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                           p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"atomic_sum_read_early", launch});
