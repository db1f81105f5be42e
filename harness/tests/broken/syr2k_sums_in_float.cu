// expect: wrong
// run: step10 -n 17 -p 3 -q 5
// says: suggest precision
// Products in double precision, but their sum is a float.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p)
{
    const int k = blockIdx.x, l = threadIdx.x, each = p.p * p.q;
    if (l < k)
        return;
    float sum = 0.0f;
    for (int i = 0; i < each; i++)
        sum += p.a[l * each + i] * p.b[k * each + i] + p.a[k * each + i] * p.b[l * each + i];
    p.c[k * p.n + l] = 0.5 * sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<p->n, p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"sums_in_float", launch});
