// expect: misaligned
// run: step09 -n 18 -m 5
// Asynchronous copies of 16 bytes, from the diagonal on: in every second row of an even
// length that is no multiple of 16 bytes.
#include "families/trmm.h"

#include <cuda_pipeline.h>

static __global__ void row(const struct lab_trmm p, int i)
{
    __shared__ double2 a[16];
    const int j = threadIdx.x, count = p.n - i;
    for (int pair = j; pair < (count + 1) / 2; pair += blockDim.x)
        if (2 * pair + 1 < count)
            __pipeline_memcpy_async(&a[pair], &p.a[i * p.n + i + 2 * pair], sizeof(double2)); // BUG
        else
            a[pair].x = p.a[i * p.n + i + 2 * pair];
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    double sum = p.b[i * p.m + j];
    for (int k = 0; k < count; k++)
        sum += (&a[0].x)[k] * p.b[(i + k) * p.m + j];
    p.b[i * p.m + j] = sum;
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    for (int i = 0; i < p->n; i++)
        row<<<1, p->m, 0, stream>>>(*p, i);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"async_from_the_diagonal", launch});
