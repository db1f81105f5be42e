// expect: out_of_bounds
// on a GPU: ok (seen on an H200)
// run: step09 -n 17 -m 5
// says: a number below 0 taken as unsigned
// Counts down to 0 with an unsigned number, which is never below.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p)
{
    const int j = threadIdx.x;
    for (int i = 0; i < p.n; i++) {
        double sum = p.b[i * p.m + j];
        for (unsigned k = p.n - 1; k >= (unsigned)i; k--)
            sum += p.a[(size_t)i * p.n + k] * p.b[(size_t)k * p.m + j]; // BUG
        p.b[i * p.m + j] = sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<1, p->m, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"counts_down_past_zero", launch});
