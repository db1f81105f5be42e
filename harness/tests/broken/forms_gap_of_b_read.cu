// expect: uninitialized
// on a GPU: nan
// run: step12 -m 9 -n 21 -k 14 --ldb 24
// says: uninitialized read of B[0][21]
// says: it lies past the end of a row, where an input holds nothing
// says: from row to row than the array has, which is 24 elements
// The rows of B are taken to lie as far apart as they are long.
#include "families/gemm.h"

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, long long row_a,
                            const float *b, float beta, float *c, long long row_c)
{
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[row * row_a + i] * b[i * n + column]; // BUG
    float *there = &c[row * row_c + column];
    *there = beta == 0.0f ? alpha * sum : alpha * sum + beta * *there;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / 16 + 1, (p->m - 1) / 16 + 1), dim3(16, 16), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->row_a, p->b, p->beta, p->c, p->row_c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"forms_gap_of_b_read", launch, NULL, LAB_GEMM_NN});
