// expect: uninitialized
// on a GPU: nan
// run: step01 -m 33
// says: workspace
// Clears as many bytes as there are elements: a quarter of the sums.
#include "families/gemm.h"

static __global__ void add(const struct lab_gemm p, float *sums)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= p.m * p.n)
        return;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < p.k; i += 2)
        sum += p.a[e / p.n * p.k + i] * p.b[i * p.n + e % p.n];
    atomicAdd(&sums[e], sum); // BUG
}

static __global__ void store(const struct lab_gemm p, const float *sums)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < p.m * p.n)
        p.c[e] = p.alpha * sums[e] + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)p->m * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int count = p->m * p->n, blocks = (count - 1) / 64 + 1;
    cudaMemsetAsync(p->workspace, 0, count, stream);
    add<<<dim3(blocks, 2), 64, 0, stream>>>(*p, (float *)p->workspace);
    store<<<blocks, 64, 0, stream>>>(*p, (const float *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"cleared_in_elements", launch, workspace});
