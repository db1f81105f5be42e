// expect: wrong
// run: step09 -n 65
// says: as if the sum took rows of B that had been changed already
// Rows from the bottom up: the rows that a sum needs have been changed before it is taken.
#include "families/trmm.h"

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= m)
        return;
    for (int row = n - 1; row >= 0; --row) {
        double sum = 0.0;
        for (int k = row; k < n; ++k)
            sum += a[(size_t)row * n + k] * b[(size_t)k * m + column];
        b[(size_t)row * m + column] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"bottom_up", launch});
