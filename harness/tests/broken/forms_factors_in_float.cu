// expect: wrong
// run: step12 -m 33 -n 17 -k 5 --type f64
// says: alpha and beta rounded to float
// The product of doubles takes the floats alpha and beta.
#include "families/gemm.h"

static __global__ void product(const struct lab_gemm p)
{
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= p.m || column >= p.n)
        return;
    double sum = 0.0;
    for (int i = 0; i < p.k; i++)
        sum += p.a_double[(p.a_is_transposed ? i * p.row_a + row : row * p.row_a + i)] *
               p.b_double[(p.b_is_transposed ? column * p.row_b + i : i * p.row_b + column)];
    double *const c = &p.c_double[row * p.row_c + column];
    *c = p.alpha * sum + (p.beta == 0.0f ? 0.0 : p.beta * *c);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 blocks((p->n - 1) / 16 + 1, (p->m - 1) / 16 + 1);
    product<<<blocks, dim3(16, 16), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"factors_in_float", launch, NULL, LAB_GEMM_ALL | LAB_GEMM_DOUBLES});
