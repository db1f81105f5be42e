// expect: forbidden
// run: step09 -n 33 -m 35
// says: launches columns(int, int, double const*, double*) on the default stream
// The stream that the launch function is given is left unused.
// compiled alone: the message names its kernel, which has no namespace
#include "families/trmm.h"

static __global__ void columns(int n, int m, const double *a, double *b)
{
    const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    for (int row = 0; row < n && column < m; ++row) {
        double sum = 0.0;
        for (int i = row; i < n; ++i)
            sum += a[(size_t)row * n + i] * b[(size_t)i * m + column];
        b[(size_t)row * m + column] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t)
{
    columns<<<(p->m - 1) / 32 + 1, 32>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"default_stream", launch});
