// expect: out_of_bounds
// on a GPU: ok
// run: step01 -m 9 -n 70 -k 9
// says: a function that has ended had its variables there
// The products lie in an array of a function that has ended.
#include "families/gemm.h"

static __device__ __noinline__ float *multiply(const struct lab_gemm *p, int row, int column)
{
    float products[8] = {0.0f};
    for (int i = 0; i < p->k; i++)
        products[i % 8] += p->a[(size_t)row * p->k + i] * p->b[(size_t)i * p->n + column];
    float *volatile first = products; // nobody may see that it ends
    return first;
}

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    const float *const products = multiply(&p, row, column);
    for (int i = 0; i < 8; i++)
        sum += products[i]; // BUG
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"pointer_into_ended_function", launch});
