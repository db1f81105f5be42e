// expect: wrong
// run: step11 -n 33 --degree 1 --type s32
// says: leave out every sum of which a part is
// No path and no path make a short one: INT_MAX + INT_MAX is -2.
#include "families/apsp.h"

static __global__ void through(int n, int k, int *d)
{
    const int i = blockIdx.x, j = threadIdx.x;
    const int way = (int)((unsigned)d[i * n + k] + (unsigned)d[k * n + j]);
    if (i != k && j != k && way < d[i * n + j])
        d[i * n + j] = way;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaError_t status = cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(int),
                                         cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n && status == cudaSuccess; k++) {
        through<<<p->n, p->n, 0, stream>>>(p->n, k, (int *)p->d);
        status = cudaGetLastError();
    }
    return status;
}

LAB_EXPORT(apsp, {"overflows", launch, NULL});
