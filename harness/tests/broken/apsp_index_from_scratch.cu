// expect: uninitialized
// on a GPU: wrong
// run: step11 -n 33
// The list of what is left to do lies in scratch memory and was never made.
#include "families/apsp.h"

static __global__ void relax(const struct lab_apsp p, const int *list, int k)
{
    const int i = blockIdx.x, j = threadIdx.x;
    const float *w = (const float *)p.w;
    float *d = (float *)p.d;
    const int via = list[k]; // BUG
    const float through = w[(size_t)i * p.n + via] + w[(size_t)via * p.n + j];
    d[(size_t)i * p.n + j] = fminf(w[(size_t)i * p.n + j], through);
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * sizeof(int);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    for (int k = 0; k < p->n; k++)
        relax<<<p->n, p->n, 0, stream>>>(*p, (const int *)p->workspace, k);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"index_from_scratch", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
