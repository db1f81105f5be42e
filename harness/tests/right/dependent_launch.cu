// run: step01
// The second kernel begins before the first one has ended, and waits for it.
#include "families/gemm.h"

static __global__ void multiply(const struct lab_gemm p, float *products)
{
    const int row = blockIdx.x, column = blockIdx.y * 64 + threadIdx.x;
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
    const int column = blockIdx.y * 64 + threadIdx.x;
    cudaGridDependencySynchronize();
    const size_t e = (size_t)blockIdx.x * p.n + column;
    if (column >= p.n)
        return;
    const float sum = p.alpha * products[e];
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
    how.gridDim = dim3(p->m, (p->n + 63) / 64);
    how.blockDim = 64;
    how.stream = stream;
    how.attrs = &overlap;
    how.numAttrs = 1;
    multiply<<<how.gridDim, how.blockDim, 0, stream>>>(*p, products); // behind what was before
    return cudaLaunchKernelEx(&how, scale, *p, (const float *)products);
}

LAB_EXPORT(gemm, {"dependent_launch", launch, workspace});
