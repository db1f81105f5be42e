// Exercise 01: C = alpha A' B + beta C, where A is stored transposed, (k, m). One thread computes
// one element of C, as in step 01. Which element it takes decides how many sectors each warp
// fetches.
#include "families/gemm.h"

constexpr int BLOCK = 256; // threads in a block

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    const size_t element = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (element >= (size_t)m * n)
        return;
    // TODO: give neighbouring threads elements of C that let them read and write side by side
    const int row = (int)(element % m);
    const int col = (int)(element / m);
    float sum = 0.0f;
    // TODO: add the k products; element (row, i) of the product's A lies at (i, row)
    store(&c[(size_t)row * n + col], sum, alpha, beta);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(((size_t)p->m * p->n - 1) / BLOCK + 1);
    gemm<<<blocks, BLOCK, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
