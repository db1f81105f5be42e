// expect: uninitialized
// on a GPU: unwritten
// run: step10 -n 33 -p 3 -q 5
// A block takes sums from scratch memory by asynchronous copies; those of row 0 are not there.
#include "families/syr2k.h"

#include <cuda_pipeline.h>

static __device__ double product(const double *x, const double *y, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

static __global__ void sums(const struct lab_syr2k p)
{
    const int k = blockIdx.x, l = threadIdx.x, each = p.p * p.q;
    const size_t to_k = (size_t)k * each, to_l = (size_t)l * each;
    if (k >= 1 && l >= k)
        ((double *)p.workspace)[(size_t)k * p.n + l] =
            0.5 * (product(p.a + to_l, p.b + to_k, each) + product(p.a + to_k, p.b + to_l, each));
}

static __global__ void move(const struct lab_syr2k p)
{
    __shared__ double row[128];
    const int k = blockIdx.x, l = threadIdx.x;
    const double *from = (const double *)p.workspace + (size_t)k * p.n;
    if (l >= k)
        __pipeline_memcpy_async(&row[l], &from[l], sizeof(double)); // BUG
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (l >= k)
        p.c[(size_t)k * p.n + l] = row[l];
}

static size_t workspace(const struct lab_syr2k *p)
{
    return (size_t)p->n * p->n * sizeof(double);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    sums<<<p->n, p->n, 0, stream>>>(*p);
    move<<<p->n, p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"scratch_copied_unwritten", launch, workspace});
