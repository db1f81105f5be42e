// expect: out_of_bounds
// says: right after the end of C
// says: element 16641 of 16641: a guard such as index < 16641, or one of the row or the column,
// says not: column <
// Threads count through the elements of C, row after row: no row ends there.
#include "families/gemm.h"

enum { THREADS = 256 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float *c)
{
    const int index = blockIdx.x * THREADS + threadIdx.x, row = index / n, column = index % n;
    float sum = 0.0f;
    for (int i = 0; i < k && row < m; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    c[index] = alpha * sum; // BUG
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(p->m * p->n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(p->m, p->n, p->k, p->alpha,
                                                                        p->a, p->b, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"flat_past_the_end", launch});
