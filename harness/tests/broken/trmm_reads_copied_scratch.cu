// expect: uninitialized
// on a GPU: unwritten
// run: step09 -n 33 -m 5
// The old B was to be moved down by a row in scratch memory; the host copies one row too many.
#include "families/trmm.h"

static __global__ void save(const struct lab_trmm p)
{
    const size_t e = (size_t)blockIdx.x * p.m + threadIdx.x;
    ((double *)p.workspace)[e] = p.b[e];
}

static __global__ void multiply(const struct lab_trmm p, const double *old)
{
    const int i = blockIdx.x, j = threadIdx.x;
    double sum = old[(size_t)i * p.m + j];
    for (int k = i; k < p.n; k++)
        sum += p.a[(size_t)i * p.n + k] * old[((size_t)k + 1) * p.m + j]; // BUG
    p.b[(size_t)i * p.m + j] = sum;
}

static size_t workspace(const struct lab_trmm *p)
{
    return 3 * ((size_t)p->n + 1) * p->m * sizeof(double);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    const size_t bytes = ((size_t)p->n + 1) * p->m * sizeof(double);
    char *second = (char *)p->workspace + 2 * bytes;
    save<<<p->n, p->m, 0, stream>>>(*p);
    cudaMemcpyAsync(second, p->workspace, bytes, cudaMemcpyDeviceToDevice, stream);
    multiply<<<p->n, p->m, 0, stream>>>(*p, (const double *)second);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"reads_copied_scratch", launch, workspace});
