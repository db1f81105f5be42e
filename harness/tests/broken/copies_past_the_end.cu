// expect: out_of_bounds
// no line: the host's copies have none
// The result is copied from scratch memory in whole pieces of 256 bytes: the last one is longer
// than what is left of C, and what goes there is what scratch memory held.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, float *c)
{
    const size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (e >= (size_t)p.m * p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[e / p.n * p.k + i] * p.b[(size_t)i * p.n + e % p.n];
    c[e] = p.alpha * sum;
}

static size_t bytes(const struct lab_gemm *p)
{
    return (size_t)p->m * p->n * sizeof(float);
}

static size_t workspace(const struct lab_gemm *p)
{
    return (bytes(p) + 255) / 256 * 256;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(((size_t)p->m * p->n + 255) / 256);
    gemm<<<blocks, 256, 0, stream>>>(*p, (float *)p->workspace);
    cudaMemcpyAsync(p->c, p->workspace, workspace(p), cudaMemcpyDeviceToDevice, stream);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"copies_past_the_end", launch, workspace});
