// expect: wrong
// run: step11 -n 33 --type u16 --weight-range 17000..30000
// Sums of two shorts go back to 0 behind 65535.
#include "families/apsp.h"

static __global__ void through(int n, int k, unsigned short *d)
{
    const int i = blockIdx.x, j = threadIdx.x;
    if (i == k || j == k)
        return;
    const unsigned short first = d[i * n + k], second = d[k * n + j];
    const unsigned short way = (unsigned short)(first + second);
    if (first != 65535 && second != 65535 && way < d[i * n + j])
        d[i * n + j] = way;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(unsigned short),
                    cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n; k++)
        through<<<p->n, p->n, 0, stream>>>(p->n, k, (unsigned short *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"shorts_wrap", launch, NULL, LAB_APSP_SHORTS | LAB_APSP_LENGTHS});
