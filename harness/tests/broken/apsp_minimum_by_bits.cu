// expect: wrong
// run: step11 -n 72 --generate potential --degree 3
// says: compared as numbers
// The bits of floats are compared as whole numbers: in order from 0 up, in reverse order below.
#include "families/apsp.h"

static __global__ void pass_through(int n, int k, float *d)
{
    const int i = blockIdx.x;
    if (i == k)
        return;
    const float there = d[(size_t)i * n + k];
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        if (j != k)
            atomicMin((int *)&d[(size_t)i * n + j], __float_as_int(there + d[(size_t)k * n + j]));
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    for (int k = 0; k < p->n; k++)
        pass_through<<<p->n, 64, 0, stream>>>(p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"by_bits", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
