// expect: race
// says not: changes get lost
// run: step09 -n 65
// A block for each tile of rows, and nothing that keeps it from changing rows that others still
// read.
#include "families/trmm.h"

enum { ROWS = 8 };

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= m)
        return;
    for (int row = blockIdx.y * ROWS; row < n && row < (blockIdx.y + 1) * ROWS; ++row) {
        double sum = 0.0;
        for (int k = row; k < n; ++k)
            sum += a[(size_t)row * n + k] * b[(size_t)k * m + column];
        b[(size_t)row * m + column] += sum; // BUG
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    const dim3 grid((p->m - 1) / 64 + 1, (p->n - 1) / ROWS + 1);
    trmm<<<grid, 64, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"rows_not_handed_over", launch});
