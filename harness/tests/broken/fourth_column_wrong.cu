// expect: wrong
// says: every fourth column, from 3 on
// says not: __syncthreads
// The last of a thread's four values takes the neighbour's element of B.
#include "families/gemm.h"

enum { THREADS = 64, EACH = 4, COLUMNS = THREADS * EACH };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float row_b[COLUMNS + 1];
    const int row = blockIdx.y, first = blockIdx.x * COLUMNS;
    float sum[EACH] = {0.0f};
    for (int i = 0; i < k; i++) {
        __syncthreads();
        for (int x = threadIdx.x; x <= COLUMNS; x += THREADS)
            row_b[x] = first + x < n ? b[(size_t)i * n + first + x] : 0.0f;
        __syncthreads();
        for (int e = 0; e < EACH; e++)
            sum[e] += a[(size_t)row * k + i] * row_b[threadIdx.x * EACH + e + (e == EACH - 1)];
    }
    for (int e = 0; e < EACH; e++) {
        const int column = first + threadIdx.x * EACH + e;
        if (column < n)
            c[(size_t)row * n + column] =
                alpha * sum[e] + (beta == 0.0f ? 0.0f : beta * c[(size_t)row * n + column]);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / COLUMNS + 1, p->m), THREADS, 0, stream>>>(p->m, p->n, p->k, p->alpha,
                                                                       p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"fourth_column_wrong", launch});
