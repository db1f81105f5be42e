// expect: out_of_bounds
// run: step01 -m 65601 -n 3 -k 2
// Row and column share an int, 16 bits each: from row 32768 on it is below 0.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= p.m * p.n)
        return;
    const int both = thread / p.n << 16 | thread % p.n;
    const int row = both >> 16, column = both & 0xFFFF;
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += p.a[row * p.k + i] * p.b[i * p.n + column]; // BUG
    p.c[row * p.n + column] = p.alpha * sum;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(p->m * p->n - 1) / 128 + 1, 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"row_and_column_in_one", launch});
