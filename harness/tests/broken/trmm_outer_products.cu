// expect: race
// run: step09 -n 17 -m 5
// A launch for each row of B, which is added to all above it; its own block changes it meanwhile.
#include "families/trmm.h"

static __global__ void add(const struct lab_trmm p, int k)
{
    const int i = blockIdx.x, j = threadIdx.x;
    p.b[i * p.m + j] += p.a[i * p.n + k] * p.b[k * p.m + j]; // BUG
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    for (int k = 0; k < p->n; k++)
        add<<<k + 1, p->m, 0, stream>>>(*p, k);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"outer_products", launch});
