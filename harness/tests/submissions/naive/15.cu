// expect: ok
// exercises: 15 19
// One thread an element, nothing shared; the 32 of a warp along a row of C, a row of B apart.
#include "families/gemm.h"

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, long long row_a,
                            const float *b, long long row_b, float beta, float *c, long long row_c)
{
    const long long element = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long row = element / n, col = element % n;
    if (row >= m)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[row * row_a + i] * b[col * row_b + i];
    float *there = &c[row * row_c + col];
    *there = beta == 0.0f ? alpha * sum : alpha * sum + beta * *there;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(((long long)p->m * p->n - 1) / 256 + 1);
    gemm<<<blocks, 256, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->row_a, p->b, p->row_b,
                                     p->beta, p->c, p->row_c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_nt, {"naive", launch});
