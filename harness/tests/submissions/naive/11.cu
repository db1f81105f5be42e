// expect: ok
// One thread a column, from the bottom up, nothing shared; products and sums apart.
#include "families/trmm.h"

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (column >= m)
        return;
    for (int row = n - 1; row >= 0; --row) {
        double sum = 0.0;
        for (int k = 0; k <= row; ++k)
            sum = __dadd_rn(sum, __dmul_rn(a[(size_t)row * n + k], b[(size_t)k * m + column]));
        b[(size_t)row * m + column] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm_lower, {"naive", launch});
