// expect: race
// on a GPU: wrong
// run: step12 -m 33 -n 33 -k 5 --trans tt --beta 1
// A' B' as (B A)', turned on its way out; the old C is read where B A has it. Another thread writes
// there.
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
    const float old = beta == 0.0f ? 0.0f : beta * c[row * row_c + column];
    c[column * row_c + row] = alpha * sum + old; // BUG
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    product<<<dim3((p->m - 1) / 16 + 1, (p->n - 1) / 16 + 1), dim3(16, 16), 0, stream>>>(
        p->n, p->m, p->k, p->alpha, p->b, p->row_b, p->a, p->row_a, p->beta, p->c, p->row_c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"forms_old_c_turned", launch, NULL, LAB_GEMM_TT});
