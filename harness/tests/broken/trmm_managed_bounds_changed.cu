// expect: race
// on a GPU: wrong
// run: step09 -n 20 -m 30
// says: row after the launch
// no line: the host is at fault
// The row of each launch stands in managed memory, and the host goes on to the next one at once.
#include "families/trmm.h"

__managed__ int row;

static __global__ void multiply(const struct lab_trmm p)
{
    const int col = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (col >= p.m)
        return;
    double sum = p.b[row * p.m + col];
    for (int k = row; k < p.n; ++k)
        sum += p.a[row * p.n + k] * p.b[k * p.m + col];
    p.b[row * p.m + col] = sum;
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    for (row = 0; row < p->n; ++row) // what is below is old still
        multiply<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"managed_bounds_changed", launch});
