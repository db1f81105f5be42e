// run: step01
// The upper half of C is computed in a stream of its own, between two events.
#include "families/gemm.h"

enum { TILE = 16 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c, int first)
{
    const int row = first + blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    if (row >= m || column >= n)
        return;
    for (int i = 0; i < k; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    c[(size_t)row * n + column] =
        beta == 0.0f ? alpha * sum : alpha * sum + beta * c[(size_t)row * n + column];
}

static void start(const struct lab_gemm *p, int first, int last, cudaStream_t stream)
{
    if (first < last)
        gemm<<<dim3((p->n + TILE - 1) / TILE, (last - first + TILE - 1) / TILE), dim3(TILE, TILE),
               0, stream>>>(last, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c, first);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    static cudaStream_t side;
    static cudaEvent_t begin, end;
    if (!side) {
        cudaStreamCreate(&side);
        cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&end, cudaEventDisableTiming);
    }
    cudaEventRecord(begin, stream);
    cudaStreamWaitEvent(side, begin, 0);
    start(p, 0, p->m / 2, side);
    start(p, p->m / 2, p->m, stream);
    cudaEventRecord(end, side);
    cudaStreamWaitEvent(stream, end, 0);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"two_streams", launch});
