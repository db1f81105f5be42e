// expect: race
// on a GPU: ok
// run: step01 -m 33 -n 70 -k 9
// says: no event puts the two in order
// Two streams of the own begin and end in order with the given one, but not with each other.
#include "families/gemm.h"

static __global__ void multiply(const struct lab_gemm p, float *products)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    products[(size_t)row * p.n + column] = sum;
}

static __global__ void scale(const struct lab_gemm p, const float *products)
{
    const int column = blockIdx.x * 64 + threadIdx.x;
    const size_t e = (size_t)blockIdx.y * p.n + column;
    if (column >= p.n)
        return;
    const float sum = p.alpha * products[e]; // BUG
    p.c[e] = p.beta == 0.0f ? sum : sum + p.beta * p.c[e];
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)p->m * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    static cudaStream_t side[2];
    static cudaEvent_t begin, end[2];
    float *const products = (float *)p->workspace;
    const dim3 grid((p->n + 63) / 64, p->m);
    for (int i = 0; i < 2 && !end[i]; i++) {
        cudaStreamCreateWithFlags(&side[i], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&end[i], cudaEventDisableTiming);
    }
    if (!begin)
        cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
    cudaEventRecord(begin, stream);
    cudaStreamWaitEvent(side[0], begin, 0);
    cudaStreamWaitEvent(side[1], begin, 0);
    multiply<<<grid, 64, 0, side[0]>>>(*p, products);
    scale<<<grid, 64, 0, side[1]>>>(*p, products);
    for (int i = 0; i < 2; i++) {
        cudaEventRecord(end[i], side[i]);
        cudaStreamWaitEvent(stream, end[i], 0);
    }
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"streams_without_event_between", launch, workspace});
