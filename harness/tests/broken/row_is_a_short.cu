// expect: unwritten
// run: step01 -m 65601 -n 3 -k 2
// says: all from row 65536 on
// says: an index of 16 bits ends there
// A row is an unsigned short: 65536 is row 0 once more.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const unsigned short row = (unsigned short)(blockIdx.x * blockDim.y + threadIdx.y);
    const int column = (int)threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    const size_t at = (size_t)row * p.n + column;
    if (row < p.m)
        p.c[at] = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * p.c[at];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(p->m - 1) / 16 + 1, dim3(p->n, 16), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"row_is_a_short", launch});
