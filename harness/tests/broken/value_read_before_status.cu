// expect: race
// run: step01 -m 33 -n 40 -k 90
// says: the value is read before the flag or counter that tells of it
// Halves of k by two blocks; the second one loads the first one's sum, and then looks whether it is
// there. There are all fences that the right order would need.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, volatile float *sums, volatile unsigned *ready)
{
    const int at = blockIdx.x * p.n + threadIdx.x, half = p.k / 2;
    const int from = blockIdx.y == 0 ? 0 : half, to = blockIdx.y == 0 ? half : p.k;
    float sum = 0.0f;
    for (int i = from; i < to; i++)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    if (blockIdx.y == 0) {
        sums[at] = sum;
        __threadfence();
        ready[at] = 1;
        return;
    }
    float first;
    unsigned status;
    do {
        first = sums[at];
        status = ready[at]; // BUG
    } while (status == 0);
    __threadfence();
    p.c[at] = p.beta == 0.0f ? p.alpha * (first + sum) : p.alpha * (first + sum) + p.beta * p.c[at];
}

static size_t workspace(const struct lab_gemm *p)
{
    return 2 * sizeof(float) * p->m * p->n;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    float *const sums = (float *)p->workspace;
    cudaMemsetAsync(sums, 0, workspace(p), stream);
    gemm<<<dim3(p->m, 2), p->n, 0, stream>>>(*p, sums, (unsigned *)(sums + p->m * p->n));
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"value_before_status", launch, workspace});
