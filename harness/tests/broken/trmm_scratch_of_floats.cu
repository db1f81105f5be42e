// expect: out_of_bounds
// run: step09 -n 33 -m 5
// says: after the end of workspace
// Asks for scratch memory for as many floats as it stores doubles.
#include "families/trmm.h"

static __global__ void row(const struct lab_trmm p, int i)
{
    const int j = threadIdx.x;
    double sum = p.b[i * p.m + j];
    for (int k = i; k < p.n; k++)
        sum += p.a[i * p.n + k] * p.b[k * p.m + j];
    ((double *)p.workspace)[j] = sum; // BUG
    p.b[i * p.m + j] = ((double *)p.workspace)[j];
}

static size_t workspace(const struct lab_trmm *p)
{
    return p->m * sizeof(float);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    for (int i = 0; i < p->n; i++)
        row<<<1, p->m, 0, stream>>>(*p, i);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"scratch_of_floats", launch, workspace});
