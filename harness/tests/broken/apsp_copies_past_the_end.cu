// expect: out_of_bounds
// run: step11 -n 33
// no line: the host's copies have none
// d starts as a copy of w that is one row too long; what lies behind w is what lies behind d.
#include "families/apsp.h"

static __global__ void relax(const struct lab_apsp p, int k)
{
    const int i = blockIdx.x, j = threadIdx.x;
    float *d = (float *)p.d;
    const float through = d[(size_t)i * p.n + k] + d[(size_t)k * p.n + j];
    if (through < d[(size_t)i * p.n + j])
        d[(size_t)i * p.n + j] = through;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = ((size_t)p->n + 1) * p->n * sizeof(float);
    cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n; k++)
        relax<<<p->n, p->n, 0, stream>>>(*p, k);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"copies_past_the_end", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
