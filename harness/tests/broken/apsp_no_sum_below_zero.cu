// expect: wrong
// run: step11 -n 70 --generate potential --degree 3
// Takes a sum below 0 for one that has gone wrong, and 0 in its place: right while no weight is
// below 0.
#include "families/apsp.h"

static __global__ void through(int n, int k, float *d)
{
    const int j = (int)threadIdx.x, i = (int)blockIdx.x;
    const float sum = d[i * n + k] + d[k * n + j];
    if (i != k && j != k)
        d[i * n + j] = fminf(d[i * n + j], fmaxf(sum, 0.0f));
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(float);
    cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n; ++k)
        through<<<p->n, p->n, 0, stream>>>(p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"no_sum_below_zero", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
