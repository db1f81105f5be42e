// expect: wrong
// run: step00c -n 300 --values special
// says: drop a NaN
// Keeps each part within the range of a float.
#include "families/reduction.h"

#include <math.h>

static __global__ void reduction(int n, const float *x, float *sum)
{
    float own = 0.0f;
    for (int i = 0; i < n; i++)
        own += fminf(fmaxf(x[i], -INFINITY), INFINITY);
    *sum = own;
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    reduction<<<1, 1, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"largest_of_nan", launch});
