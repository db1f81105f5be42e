// expect: out_of_bounds
// on a GPU: wrong
// run: step10 -n 33 -p 31 -q 33
// says: before the start of
// An index of A in a short: behind 32767 comes -32768.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p)
{
    const int k = blockIdx.x, l = threadIdx.x, each = p.p * p.q;
    if (l < k)
        return;
    double sum = 0.0;
    for (int i = 0; i < each; i++) {
        const short of_l = (short)(l * each + i), of_k = (short)(k * each + i);
        sum += p.a[of_l] * p.b[of_k] + p.a[of_k] * p.b[of_l]; // BUG
    }
    p.c[k * p.n + l] = 0.5 * sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<p->n, p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"short_index", launch});
