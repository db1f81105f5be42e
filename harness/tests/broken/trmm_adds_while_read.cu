// expect: race
// on a GPU: wrong
// run: step09 -n 33 -m 40
// says: who reads while others add
// A block for each row adds to it in place, which the blocks of the rows above still read.
#include "families/trmm.h"

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    const int i = blockIdx.x, k = i + blockIdx.y;
    if (k >= n)
        return;
    for (int j = threadIdx.x; j < m; j += blockDim.x)
        atomicAdd(&b[(size_t)i * m + j], a[(size_t)i * n + k] * b[(size_t)k * m + j]); // BUG
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<dim3(p->n, p->n), 64, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"adds_while_read", launch});
