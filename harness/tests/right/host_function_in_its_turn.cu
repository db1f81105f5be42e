// run: step01
// A host function of the stream sets the factor in managed memory, where the kernel behind it reads
// it.
#include "families/gemm.h"

__managed__ float factor;

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.x, column = blockIdx.y * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = p.beta == 0.0f ? factor * sum : factor * sum + p.beta * *c;
}

static void set_factor(void *alpha)
{
    factor = *(const float *)alpha;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    static float alpha;
    alpha = p->alpha;
    cudaLaunchHostFunc(stream, set_factor, &alpha);
    gemm<<<dim3(p->m, (p->n + 63) / 64), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"host_function_in_its_turn", launch});
