// expect: wrong
// run: step11 -n 33 --type s32 --degree 1
// Takes 1000000000 for no path, as in contests, and stores it.
#include "families/apsp.h"

static __global__ void begin(const struct lab_apsp p)
{
    const int e = blockIdx.x * p.n + threadIdx.x;
    ((int *)p.d)[e] = min(((const int *)p.w)[e], 1000000000);
}

static __global__ void through(int n, int k, int *d)
{
    const int i = blockIdx.x, j = threadIdx.x;
    if (i != k && j != k)
        d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    begin<<<p->n, p->n, 0, stream>>>(*p);
    for (int k = 0; k < p->n; k++)
        through<<<p->n, p->n, 0, stream>>>(p->n, k, (int *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"large_is_none", launch, NULL, LAB_APSP_INTS | LAB_APSP_LENGTHS});
