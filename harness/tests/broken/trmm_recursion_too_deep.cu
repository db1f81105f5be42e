// expect: out_of_bounds
// run: step09 -n 400 -m 3
// says: stack overflow
// A row is the product of the one behind it, and so on: as many calls as rows are left.
#include "families/trmm.h"

static __device__ __noinline__ double sum_from(const struct lab_trmm *p, int row, int col, int k)
{
    if (k == p->n)
        return 0.0;
    const double product = p->a[row * p->n + k] * p->b[k * p->m + col];
    return product + sum_from(p, row, col, k + 1); // BUG
}

static __global__ void multiply(const struct lab_trmm p)
{
    const int col = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (col >= p.m)
        return;
    for (int row = 0; row < p.n; ++row) // what is below is old still
        p.b[row * p.m + col] += sum_from(&p, row, col, row);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    multiply<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"recursion_too_deep", launch});
