// expect: wrong
// run: step00b -m 70 -n 33
// says: fmaxf() drop a NaN
// Kept within the range of a float, a NaN becomes a number.
#include "families/transpose.h"

#include <math.h>

static __global__ void transpose(int m, int n, const float *a, float *b)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float value;
    if (row >= m || col >= n)
        return;
    value = fminf(fmaxf(a[(size_t)row * n + col], -INFINITY), INFINITY);
    b[(size_t)col * m + row] = value;
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    const dim3 blocks((p->n - 1) / 16 + 1, (p->m - 1) / 16 + 1);
    transpose<<<blocks, dim3(16, 16), 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"kept_in_range", launch});
