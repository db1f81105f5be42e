// expect: race
// on a GPU: ok
// run: step09 -n 17 -m 5
// says: read-only cache
// The old B is said to be another array than the new one, and is read through the cache for those.
#include "families/trmm.h"

static __global__ void trmm(int n, int m, const double *__restrict__ a,
                            const double *__restrict__ old, double *__restrict__ b)
{
    const int j = threadIdx.x;
    for (int i = 0; i < n; i++) {
        double sum = i > 0 ? old[(i - 1) * m + j] * 0.0 + old[i * m + j] : old[j]; // BUG
        for (int k = i; k < n; k++)
            sum += a[i * n + k] * old[k * m + j];
        b[i * m + j] = sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    const double *const old = p->b; // no word of it to the compiler
    trmm<<<1, p->m, 0, stream>>>(p->n, p->m, p->a, old, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"restrict_in_place", launch});
