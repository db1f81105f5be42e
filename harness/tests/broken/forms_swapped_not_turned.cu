// expect: wrong
// run: step12 -m 18 -n 18 -k 7 --trans tt
// says: row and column are exchanged in C's index
// A' B' is (B A)': the operands are exchanged, and the result is stored as it comes, B A.
#include "families/gemm.h"

static __global__ void product(int rows, int columns, int k, float alpha, const float *left,
                               long long row_left, const float *right, long long row_right,
                               float beta, float *c, long long row_c)
{
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= rows || column >= columns)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += left[row * row_left + i] * right[i * row_right + column];
    float *there = &c[row * row_c + column]; // and not c[column * row_c + row]
    *there = beta == 0.0f ? alpha * sum : alpha * sum + beta * *there;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    product<<<dim3((p->m - 1) / 16 + 1, (p->n - 1) / 16 + 1), dim3(16, 16), 0, stream>>>(
        p->n, p->m, p->k, p->alpha, p->b, p->row_b, p->a, p->row_a, p->beta, p->c, p->row_c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"forms_swapped_not_turned", launch, NULL, LAB_GEMM_TT});
