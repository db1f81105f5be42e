// run: step01
// Three kernels begin early; one block of the second waits for the first, and the third for the
// second.
#include "families/gemm.h"
#include "ptx/launch_early.h"

static __global__ void multiply(const struct lab_gemm p, float *products)
{
    const int e = blockIdx.x * 64 + threadIdx.x, row = e / p.n, col = e % p.n;
    float sum = 0.0f;
    ptx_let_next_begin();
    if (e >= p.m * p.n)
        return;
    for (int i = 0; i < p.k; ++i)
        sum += p.a[row * p.k + i] * p.b[i * p.n + col];
    products[e] = sum;
}

static __global__ void scale(const struct lab_gemm p, float *old)
{
    const int e = blockIdx.x * 64 + threadIdx.x;
    ptx_let_next_begin();
    if (blockIdx.x == 0)
        ptx_wait_for_earlier();
    if (e < p.m * p.n)
        old[e] = p.beta == 0.0f ? 0.0f : p.beta * p.c[e];
}

static __global__ void add(const struct lab_gemm p, const float *products, const float *old)
{
    const int e = blockIdx.x * 64 + threadIdx.x;
    ptx_wait_for_earlier();
    if (e < p.m * p.n)
        p.c[e] = p.alpha * products[e] + old[e];
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)p->m * p->n * 2 * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    float *const products = (float *)p->workspace, *const old = products + p->m * p->n;
    const int blocks = (p->m * p->n + 63) / 64;
    multiply<<<blocks, 64, 0, stream>>>(*p, products);
    cudaError_t status = launch_early(scale, blocks, 64, 0, stream, *p, old);
    if (status == cudaSuccess)
        status = launch_early(add, blocks, 64, 0, stream, *p, (const float *)products,
                              (const float *)old);
    return status;
}

LAB_EXPORT(gemm, {"middle_waits", launch, workspace});
