// expect: race
// on a GPU: wrong
// run: step01 -m 33 -n 70 -k 9
// says: share after the launch
// says: may not have ended
// no line: the host is at fault
// A kernel leaves alpha and beta in managed memory, and the host passes them on as soon as that
// kernel is enqueued.
#include "families/gemm.h"

__managed__ float share[2];

static __global__ void set_factors(float alpha, float beta)
{
    share[0] = alpha;
    share[1] = beta;
}

static __global__ void gemm(const struct lab_gemm p, float alpha, float beta)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    set_factors<<<1, 1, 0, stream>>>(p->alpha, p->beta);
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p, share[0], share[1]);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"managed_read_behind_launch", launch});
