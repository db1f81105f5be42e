// expect: race
// on a GPU: wrong
// run: step01 -m 33 -n 70 -k 9
// says: factors
// no line: the host is at fault
// The factors lie in managed memory, which is wiped as soon as the kernel is enqueued.
#include "families/gemm.h"

__managed__ float factors[2];

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = factors[1] == 0.0f ? factors[0] * sum : factors[0] * sum + factors[1] * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    factors[0] = p->alpha;
    factors[1] = p->beta;
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    factors[0] = factors[1] = 0.0f;
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"managed_changed_behind_launch", launch});
