// expect: uninitialized
// run: step09 -n 33 -m 5
// The sum begins with the old element, but not in row 0.
#include "families/trmm.h"

static __global__ void multiply(const struct lab_trmm p)
{
    const int j = threadIdx.x;
    for (int i = 0; i < p.n; i++) {
        double sum;
        if (i > 0)
            sum = p.b[(size_t)i * p.m + j];
        for (int k = i; k < p.n; k++)
            sum += p.a[(size_t)i * p.n + k] * p.b[(size_t)k * p.m + j]; // BUG
        p.b[(size_t)i * p.m + j] = sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    multiply<<<1, p->m, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"sum_without_value", launch});
