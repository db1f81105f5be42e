// expect: uninitialized
// on a GPU: unwritten
// no line: the host's copies have none
// The result lies in the first half of scratch memory, and the second one is copied.
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

static size_t workspace(const struct lab_gemm *p)
{
    return 2 * (size_t)p->m * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const size_t count = (size_t)p->m * p->n;
    float *first = (float *)p->workspace;
    gemm<<<(unsigned)((count + 255) / 256), 256, 0, stream>>>(*p, first);
    cudaMemcpyAsync(p->c, first + count, count * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"copies_other_scratch", launch, workspace});
