// expect: forbidden
// run: step09 -n 17 -m 5
// says: calls cudaDeviceSynchronize(), which waits
// says: the first launch was right, the second is not
// Waits for what it did with another B before, which the stream does.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p)
{
    const int j = threadIdx.x;
    for (int i = 0; i < p.n; i++) {
        double sum = p.b[i * p.m + j];
        for (int k = i; k < p.n; k++)
            sum += p.a[i * p.n + k] * p.b[k * p.m + j];
        p.b[i * p.m + j] = sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    static const double *before;
    if (before && before != p->b)
        cudaDeviceSynchronize();
    before = p->b;
    trmm<<<1, p->m, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"waits_when_moved", launch});
