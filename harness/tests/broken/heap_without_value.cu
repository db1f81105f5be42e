// expect: uninitialized
// on a GPU: wrong
// run: step01 -m 9 -n 70 -k 9
// says: malloc in a kernel
// Sums in memory of malloc(), which is not cleared.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    if (column >= p.n)
        return;
    float *const sum = (float *)malloc(sizeof *sum);
    for (int i = 0; i < p.k; i++)
        *sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column]; // BUG
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = p.beta == 0.0f ? p.alpha * *sum : p.alpha * *sum + p.beta * *c;
    free(sum);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"heap_without_value", launch});
