// expect: wrong
// run: step09 -n 20 -m 30
// A launch function that believes its work done after the first time.
#include "families/trmm.h"

static __global__ void multiply(const struct lab_trmm p)
{
    const int col = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (col >= p.m)
        return;
    for (int row = 0; row < p.n; ++row) { // what is below is old still
        double sum = p.b[row * p.m + col];
        for (int k = row; k < p.n; ++k)
            sum += p.a[row * p.n + k] * p.b[k * p.m + col];
        p.b[row * p.m + col] = sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    static bool is_done;
    if (is_done)
        return cudaSuccess;
    is_done = true;
    multiply<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"works_once", launch});
