// expect: uninitialized
// Four sums in an array of registers; the loop that clears them stops one short.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sums[4];
    if (column >= p.n)
        return;
    for (int j = 0; j < 3; j++)
        sums[j] = 0.0f;
    for (int i = 0; i < p.k; i += 4)
        for (int j = 0; j < 4; j++)
            if (i + j < p.k)
                sums[j] += // BUG
                    p.a[(size_t)row * p.k + i + j] * p.b[(size_t)(i + j) * p.n + column];
    p.c[(size_t)row * p.n + column] = p.alpha * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"one_sum_of_four", launch});
