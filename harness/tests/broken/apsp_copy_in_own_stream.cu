// expect: race
// run: step11 -n 37
// says: writes it, and
// The weights are copied in a stream of the own, and nobody waits for that.
#include "families/apsp.h"

static __global__ void through(int n, int k, float *d)
{
    const int j = (int)threadIdx.x, i = (int)blockIdx.x;
    if (i != k && j != k)
        d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]); // BUG
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(float);
    static cudaStream_t side;
    if (!side)
        cudaStreamCreate(&side);
    cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, side);
    for (int k = 0; k < p->n; ++k)
        through<<<p->n, p->n, 0, stream>>>(p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"copy_in_own_stream", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
