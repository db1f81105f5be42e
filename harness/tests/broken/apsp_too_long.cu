// expect: wrong
// run: step11 -n 40 --semiring max-plus
// says: no path is as long: look for arcs that are not there
// Each way is an arc longer than it is.
#include "families/apsp.h"

#include <math.h>

static __global__ void through_vertex(int n, int k, float *d)
{
    const int i = blockIdx.x, j = threadIdx.x;
    if (i == k || j == k)
        return;
    d[i * n + j] = fmaxf(d[i * n + j], d[i * n + k] + d[k * n + j] + 1.0f);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(float);
    cudaError_t status = cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n && status == cudaSuccess; ++k) {
        through_vertex<<<p->n, p->n, 0, stream>>>(p->n, k, (float *)p->d);
        status = cudaGetLastError();
    }
    return status;
}

LAB_EXPORT(apsp, {"too_long", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS | LAB_APSP_LONGEST});
