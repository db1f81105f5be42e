// expect: forbidden
// run: step01 -m 33 -n 70 -k 9
// says: a host function of the stream launches
// says: host functions may not use CUDA
// no line: the host is at fault
// The kernel is launched by a host function, in its turn.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static struct lab_gemm problem;

static void CUDART_CB multiply(void *)
{
    gemm<<<dim3((problem.n + 63) / 64, problem.m), 64>>>(problem);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    problem = *p;
    return cudaLaunchHostFunc(stream, multiply, NULL);
}

LAB_EXPORT(gemm, {"host_function_launches", launch});
