// expect: race
// on a GPU: ok
// run: step11 -n 37
// says: source and its target overlap
// no line: the host is at fault
// The weights are shifted inside one array, from where they were laid to where they belong.
#include "families/apsp.h"

static __global__ void through(int n, int k, float *d)
{
    const int j = (int)threadIdx.x, i = (int)blockIdx.x;
    if (i != k && j != k)
        d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t row = (size_t)p->n * sizeof(float), bytes = row * (p->n - 1);
    char *const d = (char *)p->d;
    cudaMemcpyAsync(d, (const char *)p->w + row, bytes, cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyAsync(d + row, d, bytes, cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyAsync(d, p->w, row, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n; ++k)
        through<<<p->n, p->n, 0, stream>>>(p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"copy_overlaps", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
