// expect: wrong
// run: step00b -m 70 -n 33
// says: stored for -0, or -0 for 0
// The tile is cleared and the elements are added to it.
#include "families/transpose.h"

static __global__ void transpose(int m, int n, const float *a, float *b)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float value = 0.0f;
    if (row >= m || col >= n)
        return;
    value += a[(size_t)row * n + col];
    b[(size_t)col * m + row] = value;
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    const dim3 blocks((p->n - 1) / 16 + 1, (p->m - 1) / 16 + 1);
    transpose<<<blocks, dim3(16, 16), 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"added_to_zero", launch});
