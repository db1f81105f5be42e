// expect: wrong
// run: step01 -m 33 -n 70 -k 9
// says: does the launch function use what its host function sets
// A host function of the stream sets the factor, and the host reads it before its turn has come.
#include "families/gemm.h"

static float factor;

static __global__ void gemm(const struct lab_gemm p, float alpha)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = p.beta == 0.0f ? alpha * sum : alpha * sum + p.beta * *c;
}

static void set_factor(void *alpha)
{
    factor = *(const float *)alpha;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    static float alpha;
    alpha = p->alpha;
    factor = 0.0f;
    cudaLaunchHostFunc(stream, set_factor, &alpha);
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p, factor);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"host_function_too_late", launch});
