// expect: uninitialized
// on a GPU: nan
// run: step09 -n 65
// Loads whole tiles of A: zero times what stands below the diagonal is not always zero.
#include "families/trmm.h"

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= m)
        return;
    for (int row = 0; row < n; ++row) {
        double sum = 0.0;
        for (int k = row / 8 * 8; k < n; ++k)
            sum +=
                (k < row ? 0.0 : 1.0) * a[(size_t)row * n + k] * b[(size_t)k * m + column]; // BUG
        b[(size_t)row * m + column] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"reads_below_diagonal", launch});
