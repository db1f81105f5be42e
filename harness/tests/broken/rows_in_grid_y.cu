// expect: launch_error
// run: step01 -m 65601 -n 3 -k 2
// says: 65535
// A block for each row, in y: there may be 65535 of them.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= p.n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += p.a[row * p.k + i] * p.b[i * p.n + column];
    p.c[row * p.n + column] =
        p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[row * p.n + column] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / 32 + 1, p->m), 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"rows_in_grid_y", launch});
