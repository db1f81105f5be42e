// expect: race
// run: step09 -n 7 -m 63
// says: this line's index leaves out a thread coordinate, takes a wrong distance between rows, or
// goes past the end of one Takes the rows of B as n long, which m are: threads of neighbouring
// columns meet.
#include "families/trmm.h"

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    const int column = (int)(blockIdx.x * 64 + threadIdx.x);
    if (column >= m)
        return;
    for (int row = 0; row < n; ++row) {
        double sum = 0.0;
        for (int k = row; k < n; ++k)
            sum += a[row * n + k] * b[k * m + column];
        b[row * n + column] += sum; // BUG
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"rows_of_n", launch});
