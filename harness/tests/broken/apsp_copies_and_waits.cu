// expect: forbidden
// run: step11 -n 37
// says: cudaMemcpy(), which uses the default stream and waits; use the call that ends in Async
// The weights are copied by the call that waits.
#include "families/apsp.h"

static __global__ void through(int n, int k, float *d)
{
    const int j = (int)threadIdx.x, i = (int)blockIdx.x;
    if (i != k && j != k)
        d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(float);
    cudaMemcpy(p->d, p->w, bytes, cudaMemcpyDeviceToDevice);
    for (int k = 0; k < p->n; ++k)
        through<<<p->n, p->n, 0, stream>>>(p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"copies_and_waits", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
