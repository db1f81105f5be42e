// expect: uninitialized
// on a GPU: varies
// run: step01 -m 24 -n 20 -k 31
// says: else something of an earlier launch was used once more: is all that a launch needs
// Computes the product when the workspace is a new one, and takes it for known when it lies where
// the last one did.
#include "families/gemm.h"

constexpr int THREADS = 64;

static __global__ void multiply(int m, int n, int k, const float *a, const float *b, float *product)
{
    const int at = (int)blockIdx.x * THREADS + (int)threadIdx.x;
    if (at >= m * n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[at / n * k + i] * b[i * n + at % n];
    product[at] = sum;
}

static __global__ void scale(int count, float alpha, float beta, const float *product, float *c)
{
    const int at = (int)blockIdx.x * THREADS + (int)threadIdx.x;
    if (at < count)
        c[at] = alpha * product[at] + (beta == 0.0f ? 0.0f : beta * c[at]); // BUG
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)p->m * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    static const void *last;
    const int count = p->m * p->n, blocks = (count - 1) / THREADS + 1;
    float *product = (float *)p->workspace;
    if (p->workspace != last)
        multiply<<<blocks, THREADS, 0, stream>>>(p->m, p->n, p->k, p->a, p->b, product);
    last = p->workspace;
    scale<<<blocks, THREADS, 0, stream>>>(count, p->alpha, p->beta, product, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"kept", launch, workspace});
