// expect: wrong
// run: step09 -n 129
// says: suggest precision
// Sums in single precision: most digits of a double are lost.
#include "families/trmm.h"

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= m)
        return;
    for (int row = 0; row < n; ++row) {
        float sum = 0.0f;
        for (int k = row; k < n; ++k)
            sum += (float)a[(size_t)row * n + k] * (float)b[(size_t)k * m + column];
        b[(size_t)row * m + column] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"in_float", launch});
