// expect: race
// says: of the same warp come in any order
// A row's sum by its lanes in scratch memory, halved from round to round without __syncwarp().
#include "families/gemm.h"

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c, float *sums)
{
    const int lane = threadIdx.x, column = blockIdx.y;
    const size_t row = blockIdx.x;
    float *const mine = sums + (row * n + column) * 32;
    float sum = 0.0f;
    for (int i = lane; i < k; i += 32)
        sum += a[row * k + i] * b[(size_t)i * n + column];
    mine[lane] = sum;
    for (int half = 16; half > 0; half /= 2)
        if (lane < half)
            mine[lane] += mine[lane + half]; // BUG
    if (lane == 0)
        c[row * n + column] =
            beta == 0.0f ? alpha * mine[0] : alpha * mine[0] + beta * c[row * n + column];
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)p->m * p->n * 32 * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3(p->m, p->n), 32, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c,
                                              (float *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"lanes_in_scratch", launch, workspace});
