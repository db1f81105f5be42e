// expect: wrong
// run: step01 -m 67 -n 70 -k 36
// says: only at the last rows or columns; launched with values that show what it multiplies
// says: it has in C[0][64] A[0][0] * B[0][0] where A[0][0] * B[0][64] belongs
// says not: tile does not divide
// B's columns are taken from the block's first row on.
#include "families/gemm.h"

constexpr int TILE = 64;

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    for (int y = threadIdx.y; y < TILE; y += 16)
        for (int x = threadIdx.x; x < TILE; x += 16) {
            const int row = first_row + y, column = first_col + x, other = first_row + x;
            float sum = 0.0f;
            for (int i = 0; i < k && row < m && other < n; i++) // broken: column
                sum += a[(size_t)row * k + i] * b[(size_t)i * n + other];
            float *const out = &c[(size_t)row * n + column];
            if (row < m && column < n)
                *out = beta == 0.0f ? alpha * sum : alpha * sum + beta * *out;
        }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / TILE + 1, (p->m - 1) / TILE + 1), dim3(16, 16), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"columns_of_the_first_row", launch});
