// expect: race
// run: step01 -m 33 -n 70 -k 9
// says: griddepcontrol.wait
// The second kernel may begin before the first one has ended, and does not wait for it.
#include "families/gemm.h"

static __global__ void multiply(const struct lab_gemm p, float *products)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    asm volatile("griddepcontrol.launch_dependents;");
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
    if (column >= p.n)
        return;
    const float sum = p.alpha * products[e]; // BUG
    p.c[e] = p.beta == 0.0f ? sum : sum + p.beta * p.c[e];
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)p->m * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    float *const products = (float *)p->workspace;
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how = {};
    how.gridDim = dim3((p->n + 63) / 64, p->m);
    how.blockDim = 64;
    how.stream = stream;
    how.attrs = &overlap;
    how.numAttrs = 1;
    multiply<<<how.gridDim, how.blockDim, 0, stream>>>(*p, products);
    return cudaLaunchKernelEx(&how, scale, *p, (const float *)products);
}

LAB_EXPORT(gemm, {"dependent_launch_without_wait", launch, workspace});
