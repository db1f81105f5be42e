// expect: wrong
// run: step05 -m 64 -n 64 -k 16
// says: columns 4 to 7 of every 8
// Threads have 1 x 8 columns, and sum up the first four: the others are stored as 0.
#include "families/gemm.h"

enum { COLUMNS = 8, SUMMED = 4 };

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, first = (blockIdx.x * blockDim.x + threadIdx.x) * COLUMNS;
    float sum[COLUMNS] = {0.0f};
    for (int i = 0; i < p.k; i++)
        for (int q = 0; q < SUMMED; q++)
            if (first + q < p.n)
                sum[q] += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + first + q];
    for (int q = 0; q < COLUMNS; q++)
        if (first + q < p.n) {
            float *c = &p.c[(size_t)row * p.n + first + q];
            *c = p.alpha * sum[q] + (p.beta == 0.0f ? 0.0f : p.beta * *c);
        }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / (32 * COLUMNS) + 1, p->m), 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"columns_without_products", launch});
