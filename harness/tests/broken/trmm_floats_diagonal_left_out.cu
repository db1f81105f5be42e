// expect: wrong
// run: step09 -n 33 -m 17 --type f32
// says: as if the product with the diagonal of A were left out
// In float, from the top down: each sum begins one product too late.
#include "families/trmm.h"

static __global__ void trmm(int n, int m, const float *a, float *b)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= m)
        return;
    for (int row = 0; row < n; ++row) {
        float sum = 0.0f;
        for (int k = row + 1; k < n; ++k)
            sum += a[(size_t)row * n + k] * b[(size_t)k * m + column];
        b[(size_t)row * m + column] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(p->n, p->m, p->a_float, p->b_float);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"diagonal_left_out", launch, NULL, LAB_TRMM_FLOATS});
