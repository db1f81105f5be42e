// expect: timeout
// Blocks take turns under a lock that the first one keeps.
#include "families/gemm.h"

enum { BLOCK = 256 };

static __device__ int lock;

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const size_t element = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (threadIdx.x == 0)
        while (atomicCAS(&lock, 0, 1) != 0) // BUG
            ;
    __syncthreads();
    if (element >= (size_t)m * n)
        return;
    const int row = (int)(element / n), column = (int)(element % n);
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    c[element] = beta == 0.0f ? alpha * sum : alpha * sum + beta * c[element];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)(((size_t)p->m * p->n - 1) / BLOCK + 1), BLOCK, 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"lock_not_released", launch});
