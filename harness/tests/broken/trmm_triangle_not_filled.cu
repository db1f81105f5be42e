// expect: uninitialized
// on a GPU: wrong
// run: step09 -n 33 -m 5
// A row of A is loaded from its diagonal on; what was there of the row before is added up as well,
// and at first nothing was.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p, int first)
{
    __shared__ double row[16];
    const int j = threadIdx.x, i = first + blockIdx.x;
    double sum = p.b[i * p.m + j];
    for (int tile = i / 16 * 16; tile < p.n; tile += 16) {
        __syncthreads();
        for (int k = tile + j; k < tile + 16; k += blockDim.x)
            if (k >= i && k < p.n)
                row[k - tile] = p.a[i * p.n + k];
        __syncthreads();
        for (int k = tile; k < tile + 16 && k < p.n; k++)
            sum += row[k - tile] * p.b[k * p.m + j]; // BUG
    }
    p.b[i * p.m + j] = sum;
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    for (int i = 0; i < p->n; i++)
        trmm<<<1, p->m, 0, stream>>>(*p, i);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"triangle_not_filled", launch});
