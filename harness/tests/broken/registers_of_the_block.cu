// expect: launch_error
// 288 threads of 216 registers: each quarter of an SM has registers for two such warps, 256 threads
// in all.
#include "families/gemm.h"

enum { VALUES = 240, THREADS = 288 };

static __global__ void __maxnreg__(216)
    gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c)
{
    float value[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        value[i] = a[(threadIdx.x * 7 + i) % (m * k)];
    for (int l = 0; l < k; l++)
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            value[i] = value[i] * b[l * n] + value[(i + 1) % VALUES];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        sum += value[i];
    for (int i = threadIdx.x; i < m * n; i += THREADS)
        c[i] = alpha * sum + (beta ? beta * c[i] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<1, THREADS, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"registers_of_the_block", launch});
