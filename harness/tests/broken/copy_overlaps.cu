// expect: race
// on a GPU: varies
// run: step01 -m 33 -n 70 -k 9
// says: source and its target overlap
// no line: the host is at fault
// The products are left one row lower in the workspace, and moved up by a copy onto itself.
#include "families/gemm.h"

static __global__ void multiply(const struct lab_gemm p, float *products)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    products[(size_t)row * p.n + column] = sum;
}

static __global__ void scale(const struct lab_gemm p, const float *products)
{
    const int column = blockIdx.x * 64 + threadIdx.x;
    const size_t e = (size_t)blockIdx.y * p.n + column;
    if (column < p.n)
        p.c[e] = p.beta == 0.0f ? p.alpha * products[e] : p.alpha * products[e] + p.beta * p.c[e];
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)(p->m + 1) * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    float *const products = (float *)p->workspace;
    const dim3 grid((p->n + 63) / 64, p->m);
    multiply<<<grid, 64, 0, stream>>>(*p, products + p->n);
    cudaMemcpyAsync(products, products + p->n, (size_t)p->m * p->n * sizeof(float),
                    cudaMemcpyDeviceToDevice, stream);
    scale<<<grid, 64, 0, stream>>>(*p, products);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"copy_overlaps", launch, workspace});
