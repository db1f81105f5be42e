// expect: race
// on a GPU: unwritten
// says: two threads compute the same element
// Threads of two warps store to the same element of C as well; the others are stored once.
#include "families/gemm.h"

enum { BLOCK = 256 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const size_t element = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (element >= (size_t)m * n / 64 * 64)
        return;
    const int row = (int)(element / n), column = (int)(element % n);
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    const float value = beta == 0.0f ? alpha * sum : alpha * sum + beta * c[element];
    c[element] = value; // BUG
    c[element ^ 32] = value;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)(((size_t)p->m * p->n - 1) / BLOCK + 1), BLOCK, 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"two_warps_one_element", launch});
