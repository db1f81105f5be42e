// expect: wrong
// run: step11 -n 40 --semiring or-and --degree 1
// says: there is no such path: look for arcs that are not there
// "Or" where "and" is asked for.
#include "families/apsp.h"

static __global__ void through_vertex(int n, int k, unsigned short *d)
{
    const int i = blockIdx.x, j = threadIdx.x;
    if (i == k || j == k)
        return;
    d[i * n + j] |= d[i * n + k] | d[k * n + j];
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(unsigned short);
    cudaError_t status = cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n && status == cudaSuccess; ++k) {
        through_vertex<<<p->n, p->n, 0, stream>>>(p->n, k, (unsigned short *)p->d);
        status = cudaGetLastError();
    }
    return status;
}

LAB_EXPORT(apsp,
           {"all_reachable", launch, NULL, LAB_APSP_SHORTS | LAB_APSP_LENGTHS | LAB_APSP_REACHES});
