// expect: misaligned
// run: step09 -n 17 -m 5
// Takes columns in pairs: rows of an odd length do not begin at a multiple of 16 bytes.
#include "families/trmm.h"

static __global__ void row(const struct lab_trmm p, int i)
{
    const int j = 2 * threadIdx.x;
    double2 sum = *(const double2 *)&p.b[i * p.m + j];
    for (int k = i; k < p.n; k++) {
        const double2 old = *(const double2 *)&p.b[k * p.m + j]; // BUG
        sum.x += p.a[i * p.n + k] * old.x;
        sum.y += p.a[i * p.n + k] * old.y;
    }
    *(double2 *)&p.b[i * p.m + j] = sum;
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    for (int i = 0; i < p->n; i++)
        row<<<1, (p->m + 1) / 2, 0, stream>>>(*p, i);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"odd_columns", launch});
