// run: step10
// One thread for each element of the triangle, which it finds by a square root.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p)
{
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= (long long)p.n * (p.n + 1) / 2)
        return;
    long long l = (long long)((sqrt(8.0 * (double)e + 1.0) - 1.0) / 2.0);
    while (l * (l + 1) / 2 > e)
        l--;
    while ((l + 1) * (l + 2) / 2 <= e)
        l++;
    const long long k = e - l * (l + 1) / 2, each = (long long)p.p * p.q;
    double sum = 0.0;
    for (long long i = 0; i < each; i++)
        sum += p.a[l * each + i] * p.b[k * each + i] + p.a[k * each + i] * p.b[l * each + i];
    p.c[k * p.n + l] = sum / 2;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const long long count = (long long)p->n * (p->n + 1) / 2;
    syr2k<<<(unsigned)((count - 1) / 96 + 1), 96, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"root", launch});
