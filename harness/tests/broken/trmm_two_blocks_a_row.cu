// expect: race
// run: step09 -n 17 -m 5
// Two blocks take odd and even terms, and both add to B.
#include "families/trmm.h"

static __global__ void row(const struct lab_trmm p, int i)
{
    const int j = threadIdx.x;
    double sum = 0.0;
    for (int k = i + blockIdx.x; k < p.n; k += 2)
        sum += p.a[i * p.n + k] * p.b[k * p.m + j];
    p.b[i * p.m + j] += sum; // BUG
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    for (int i = 0; i < p->n; i++)
        row<<<2, p->m, 0, stream>>>(*p, i);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"two_blocks_a_row", launch});
