// expect: wrong
// run: step09 -n 64 -m 64
// says: one quadrant
// says: that value was stored at trmm_quadrant.cu:
// says not: alpha
// Adds the last product twice in one quadrant.
#include "families/trmm.h"

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= m)
        return;
    for (int row = 0; row < n; ++row) {
        double sum = b[(size_t)row * m + column];
        for (int k = row; k < n; ++k)
            sum += a[(size_t)row * n + k] * b[(size_t)k * m + column];
        if (row >= n / 2 && column < m / 2)
            sum += a[(size_t)row * n + n - 1] * b[(size_t)(n - 1) * m + column];
        b[(size_t)row * m + column] = sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"quadrant", launch});
