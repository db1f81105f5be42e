// expect: race
// run: step09 -n 20 -m 33
// says: by a plain read
// Blocks wait for a flag of the first one, but the flag is a plain variable.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p, int *flag)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *flag = 1;
    if (blockIdx.x > 0) // BUG
        while (*flag == 0)
            ;
    const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    for (int row = 0; row < p.n && column < p.m; ++row) {
        double sum = p.b[(size_t)row * p.m + column];
        for (int i = row; i < p.n; ++i)
            sum += p.a[(size_t)row * p.n + i] * p.b[(size_t)i * p.m + column];
        p.b[(size_t)row * p.m + column] = sum;
    }
}

static size_t workspace(const struct lab_trmm *)
{
    return sizeof(int);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(int), stream);
    trmm<<<(p->m - 1) / 8 + 1, 8, 0, stream>>>(*p, (int *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"waits_by_plain_read", launch, workspace});
