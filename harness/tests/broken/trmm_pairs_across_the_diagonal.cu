// expect: uninitialized
// on a GPU: ok
// run: step09 -n 18 -m 5
// says: below the diagonal of a triangle
// Asynchronous copies of aligned pairs: in every second row the first one begins below the
// diagonal. It is copied whole, though no sum uses its first half.
#include "families/trmm.h"

#include <cuda_pipeline.h>

static __global__ void row(const struct lab_trmm p, int i)
{
    __shared__ double2 a[16];
    const int j = threadIdx.x, first = i / 2 * 2;
    for (int pair = j; pair < (p.n - first) / 2; pair += blockDim.x)
        __pipeline_memcpy_async(&a[pair], &p.a[i * p.n + first + 2 * pair], sizeof(double2)); // BUG
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    double sum = p.b[i * p.m + j];
    for (int k = i; k < p.n; k++)
        sum += (&a[0].x)[k - first] * p.b[k * p.m + j];
    p.b[i * p.m + j] = sum;
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    for (int i = 0; i < p->n; i++)
        row<<<1, p->m, 0, stream>>>(*p, i);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"pairs_across_the_diagonal", launch});
