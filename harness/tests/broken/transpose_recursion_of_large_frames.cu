// expect: out_of_bounds
// run: step00b -m 16 -n 40
// says: move_from(float const*
// says: cudaLimitStackSize
// A call moves a row, 16 deep only; but each has a frame of over 64 bytes, as ptxas says, for the
// registers that it keeps: more than 1024 bytes in all, which 16 times what PTX declares is not.
#include "families/transpose.h"

enum { KEPT = 12 };

static __device__ __noinline__ float move_from(const float *a, float *b, int m, int n, int row,
                                               int col)
{
    if (row == m)
        return 0.0f;
    float kept[KEPT];
    for (int i = 0; i < KEPT; i++)
        kept[i] = a[(size_t)row * n + (col + i) % n];
    float sum = move_from(a, b, m, n, row + 1, col); // BUG
    b[(size_t)col * m + row] = kept[0];
    for (int i = 1; i < KEPT; i++)
        sum += kept[i];
    return sum;
}

static __global__ void transpose(int m, int n, const float *a, float *b)
{
    const int col = blockIdx.x * 64 + threadIdx.x;
    if (col < n && move_from(a, b, m, n, 0, col) == 12345.678f)
        b[0] = 0.0f;
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    transpose<<<(p->n - 1) / 64 + 1, 64, 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"transpose_recursion_of_large_frames", launch});
