// expect: launch_error
// run: step11 -n 37
// says: no multiple of the cluster's 2
// Clusters of two blocks for an odd number of rows.
#include "families/apsp.h"

static __global__ void __cluster_dims__(2) through(int n, int k, float *d)
{
    const int j = (int)threadIdx.x, i = (int)blockIdx.x;
    if (i != k && j != k)
        d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(float);
    cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n; ++k)
        through<<<p->n, p->n, 0, stream>>>(p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"cluster_of_other_rows", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
