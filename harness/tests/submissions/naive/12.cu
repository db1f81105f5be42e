// expect: ok
// One thread an element on or above the diagonal, nothing shared.
#include "families/syr2k.h"

static __global__ void syr2k(int n, int length, const double *a, const double *b, double *c)
{
    const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int k = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (k >= n || l >= n || l < k)
        return;
    double sum = 0.0;
    for (int i = 0; i < length; ++i)
        sum += a[(size_t)l * length + i] * b[(size_t)k * length + i] +
               a[(size_t)k * length + i] * b[(size_t)l * length + i];
    c[(size_t)k * n + l] = 0.5 * sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((p->n - 1) / 16 + 1);
    syr2k<<<dim3(blocks, blocks), dim3(16, 16), 0, stream>>>(p->n, p->p * p->q, p->a, p->b, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"naive", launch});
