// expect: uninitialized
// run: step10 -n 33 -p 3 -q 5
// Sums by the last index, in local memory; the first one is never cleared.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p)
{
    const int k = blockIdx.x, l = threadIdx.x, each = p.p * p.q;
    const size_t to_k = (size_t)k * each, to_l = (size_t)l * each;
    double sums[16], total = 0.0;
    if (l < k)
        return;
    for (int i = 1; i < 16; i++)
        sums[i] = 0.0;
    for (int i = 0; i < each; i++)
        sums[i % p.q % 16] += // BUG
            p.a[to_l + i] * p.b[to_k + i] + p.a[to_k + i] * p.b[to_l + i];
    for (int i = 0; i < p.q && i < 16; i++)
        total += sums[i];
    p.c[(size_t)k * p.n + l] = 0.5 * total;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<p->n, p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"local_sums_without_value", launch});
