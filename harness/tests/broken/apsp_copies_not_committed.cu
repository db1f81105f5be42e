// expect: race
// run: step11 -n 33
// says: it belongs to no group: __pipeline_commit() is missing before the wait
// Copies that belong to no group: to wait for all groups is to wait for nothing.
#include "families/apsp.h"

#include <cuda_pipeline.h>

static __global__ void through(int n, int k, float *d)
{
    __shared__ float row[64];
    const int i = blockIdx.x, j = threadIdx.x;
    if (j < n)
        __pipeline_memcpy_async(&row[j], &d[k * n + j], sizeof(float));
    __pipeline_wait_prior(0);
    __syncthreads();
    if (j < n && i != k && j != k)
        d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + row[j]); // BUG
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    for (int k = 0; k < p->n; k++)
        through<<<p->n, 64, 0, stream>>>(p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"copies_not_committed", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
