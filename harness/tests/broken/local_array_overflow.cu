// expect: out_of_bounds
// on a GPU: wrong
// The thread has four sums and uses a fifth.
#include "families/gemm.h"

enum { BLOCK = 256 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const size_t element = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (element >= (size_t)m * n)
        return;
    const int row = (int)(element / n), column = (int)(element % n);
    float sums[4] = {0}, sum = 0.0f;
    for (int i = 0; i < k; i++)
        sums[(i + row) % 5] += a[(size_t)row * k + i] * b[(size_t)i * n + column]; // BUG
    for (int i = 0; i < 4; i++)
        sum += sums[i];
    c[element] = beta == 0.0f ? alpha * sum : alpha * sum + beta * c[element];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)(((size_t)p->m * p->n - 1) / BLOCK + 1), BLOCK, 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"local_array_overflow", launch});
