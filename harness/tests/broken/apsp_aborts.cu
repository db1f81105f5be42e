// expect: forbidden
// run: step11 -n 17
// says: calls abort(), which ends
// An assertion of the launch function that does not hold for small problems.
#include "families/apsp.h"

#include <stdlib.h>

static __global__ void copy(int n, const float *w, float *d)
{
    d[blockIdx.x * n + threadIdx.x] = w[blockIdx.x * n + threadIdx.x];
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    copy<<<p->n, p->n, 0, stream>>>(p->n, (const float *)p->w, (float *)p->d);
    if (p->n % 32 != 0)
        abort();
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"aborts", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
