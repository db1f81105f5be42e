// expect: out_of_bounds
// on a GPU: wrong
// run: step09 -n 17 -m 5
// says: the first launch was right, the second is not
// The whole problem is kept where its sizes are the same.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p)
{
    const int j = threadIdx.x;
    for (int i = 0; i < p.n; i++) {
        double sum = p.b[i * p.m + j]; // BUG
        for (int k = i; k < p.n; k++)
            sum += p.a[i * p.n + k] * p.b[k * p.m + j];
        p.b[i * p.m + j] = sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    static struct lab_trmm kept;
    if (kept.n != p->n || kept.m != p->m)
        kept = *p;
    trmm<<<1, kept.m, 0, stream>>>(kept);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"problem_kept", launch});
