// expect: launch_error
// run: step09 -n 17 -m 5
// says: 0
// 5 columns in blocks of 64, rounded down: none at all.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < p.n; i++)
        for (int k = i; k < p.n; k++)
            p.b[i * p.m + j] += p.a[i * p.n + k] * p.b[k * p.m + j];
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<p->m / 64, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"no_blocks", launch});
