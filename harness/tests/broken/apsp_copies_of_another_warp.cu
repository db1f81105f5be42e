// expect: race
// run: step11 -n 64
// says: this asynchronous copy and the read at
// says: after the wait for the copy, where it is to find what is copied
// Each warp waits for its own half of the row, and reads the other one.
#include "families/apsp.h"

#include <cuda_pipeline.h>

static __global__ void through(int n, int k, float *d)
{
    __shared__ float row[64];
    const int i = blockIdx.x, j = threadIdx.x, other = j ^ 32;
    if (j < n)
        __pipeline_memcpy_async(&row[j], &d[k * n + j], sizeof(float)); // BUG
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (other < n && i != k && other != k)
        d[i * n + other] = fminf(d[i * n + other], d[i * n + k] + row[other]);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    for (int k = 0; k < p->n; k++)
        through<<<p->n, 64, 0, stream>>>(p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"copies_of_another_warp", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
